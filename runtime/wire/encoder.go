package wire

import (
	"bytes"
	"math"
	"strconv"
)

// An Encoder writes one JSON value. Generated code calls its methods. The first error stays;
// what is written after it is never seen.
type Encoder struct {
	buf   []byte
	start int // of the value in buf
	depth int
	rev   Revision
	root  *Type
	err   *EncodeError
	place int    // where in buf the error came up
	name  string // of the member that the error is about, if it is not written

	checks bool // raw values are checked

	scratch []byte // for Marshal
}

// fail keeps the first error. It is about what would be written next.
func (e *Encoder) fail(msg string) { e.failMember("", msg) }

func (e *Encoder) failMember(name, msg string) {
	if e.err == nil {
		e.err = &EncodeError{Msg: msg}
		e.place, e.name = len(e.buf)-e.start, name
	}
}

// Fail makes encoding fail for a reason of the caller's. The error names the place that the
// encoder has reached.
func (e *Encoder) Fail(msg string) { e.fail(msg) }

// finish completes the error and returns it.
func (e *Encoder) finish() error {
	if e.err == nil {
		return nil
	}
	e.err.Path = pathAt(e.buf[e.start:], e.place)
	if e.name != "" {
		e.err.Path = joinPath(e.err.Path, e.name)
	}
	if e.root != nil {
		e.err.Type = e.root.Name
	}
	return e.err
}

// Revision returns the revision that is encoded for.
func (e *Encoder) Revision() Revision { return e.rev }

// Since reports whether the revision that is encoded for is from or later, or [Any].
func (e *Encoder) Since(from Revision) bool { return e.rev.Since(from) }

// Before reports whether the revision that is encoded for is earlier than until, or [Any].
func (e *Encoder) Before(until Revision) bool { return e.rev.Before(until) }

// Within reports whether the revision that is encoded for is in [from, until), or [Any].
func (e *Encoder) Within(from, until Revision) bool {
	return e.rev == Any || e.rev >= from && e.rev < until
}

// Needs reports whether the revision that is encoded for is in [from, until), where an until of 0
// is no limit. It is not the case for [Any], which demands nothing.
func (e *Encoder) Needs(from, until Revision) bool {
	return e.rev != Any && e.rev >= from && (until == 0 || e.rev < until)
}

// Begin begins an object of type t. It fails and returns false if there is no value, or if the
// revision does not have the type.
func (e *Encoder) Begin(t *Type, present bool) bool {
	if e.root == nil {
		e.root = t
	}
	if e.Present(t.Name, present); e.err != nil {
		return false
	}
	if !t.Revisions.Has(e.rev) {
		e.Lacks(t.Name, t.Revisions)
		return false
	}
	if !e.Enter() {
		return false
	}
	e.buf = append(e.buf, '{')
	return true
}

// Present fails and returns false if there is no value of the named type, or of the union.
func (e *Encoder) Present(name string, present bool) bool {
	if !present {
		e.fail("the " + name + " is nil")
	}
	return present
}

// End ends an object. The extra members are written first; one of a name that the type declares
// is an error.
func (e *Encoder) End(t *Type, extra Extra) {
	var seen names
	for i, m := range extra {
		switch {
		case t.knows(m.Name):
			e.failMember(m.Name, "an extra member has the name of a declared one")
			return
		case !addName(&seen, extra[:i], m.Name):
			e.failMember(m.Name, "two extra members have this name")
			return
		}
		e.comma('{')
		e.String(m.Name)
		e.buf = append(e.buf, ':')
		e.Raw(m.Value)
	}
	e.depth--
	e.buf = append(e.buf, '}')
}

// Key begins a member. The name is written as it is: it must not need escapes.
func (e *Encoder) Key(name string) {
	b := e.buf
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	e.buf = append(b, '"', ':')
}

// comma separates the next element or member from the one before, if there is one.
func (e *Encoder) comma(open byte) {
	if e.buf[len(e.buf)-1] != open {
		e.buf = append(e.buf, ',')
	}
}

// Lacks fails because the revision that is encoded for does not have something.
func (e *Encoder) Lacks(what string, has Span) {
	if len(e.buf) == e.start { // the value as a whole, which the message names already
		what = "it"
	}
	e.fail(what + " exists " + has.String() + ", not in " + e.rev.String())
}

// Absent fails because a member that the revision requires is absent. At [Any] it is no error.
func (e *Encoder) Absent(name string) {
	if e.rev != Any {
		e.failMember(name, "the member is absent, but required in "+e.rev.String())
	}
}

// Null writes null.
func (e *Encoder) Null() { e.buf = append(e.buf, "null"...) }

// Bool writes a boolean.
func (e *Encoder) Bool(v bool) { e.buf = strconv.AppendBool(e.buf, v) }

// Int writes an integer.
func (e *Encoder) Int(v int64) { e.buf = strconv.AppendInt(e.buf, v, 10) }

// Float writes a number. NaN and the infinities are errors.
func (e *Encoder) Float(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		e.fail(strconv.FormatFloat(v, 'g', -1, 64) + " is not a JSON number")
		return
	}
	e.buf = appendFloat(e.buf, v)
}

// appendFloat appends a number as encoding/json writes it: without exponent unless it is very
// small or very large.
func appendFloat(b []byte, v float64) []byte { return appendFloatOf(b, v, 64) }

func appendFloatOf(b []byte, v float64, bits int) []byte {
	small, large := 1e-6, 1e21
	if bits == 32 {
		small, large = float64(float32(small)), float64(float32(large))
	}
	if abs := math.Abs(v); abs != 0 && (abs < small || abs >= large) {
		b = strconv.AppendFloat(b, v, 'e', -1, bits)
		if n := len(b); b[n-3] == '-' && b[n-2] == '0' {
			b[n-2] = b[n-1] // e-09 → e-9
			b = b[:n-1]
		}
		return b
	}
	return strconv.AppendFloat(b, v, 'f', -1, bits)
}

// ID writes an id. An absent one is an error.
func (e *Encoder) ID(id ID) { id.EncodeWire(e) }

// Raw writes a raw value. An absent one is an error, and with [MarshalChecked] one that is not
// valid. A value that holds line breaks is written without white space; otherwise it is written as
// it is.
func (e *Encoder) Raw(r Raw) {
	if len(r) == 0 {
		e.fail("the raw value is absent")
		return
	}
	if e.checks {
		if err := r.Check(); err != nil {
			e.failRaw(err)
			return
		}
	}
	if bytes.IndexByte(r, '\n') < 0 && bytes.IndexByte(r, '\r') < 0 {
		e.buf = append(e.buf, r...)
		return
	}
	b, err := appendCompact(e.buf, r)
	if err != nil {
		e.failRaw(err)
		return
	}
	e.buf = b
}

func (e *Encoder) failRaw(err error) {
	e.fail("the raw value is not valid JSON: " + err.(*DecodeError).Msg)
}

// RawOf writes a raw value that must be of kind k.
func (e *Encoder) RawOf(k Kind, r Raw) {
	if len(r) > 0 && r.Kind() != k {
		e.fail("want " + k.String() + ", got " + r.Kind().String())
		return
	}
	e.Raw(r)
}
