package wire

import (
	"bytes"
	"math"
	"strconv"
)

// An Encoder writes one JSON value. Generated code calls its methods. It keeps the first error, and what it has
// written is then discarded.
type Encoder struct {
	buf   []byte
	start int // of the value in buf
	depth int
	rev   Revision
	root  *Type
	err   *EncodeError
	place int    // the offset in buf at which the error occurred
	name  string // of the member that the error is about, if it has not been written

	checks bool // whether raw values are validated

	scratch []byte // for Marshal
}

// fail records an error about the value that would be written next, unless there is one already.
func (e *Encoder) fail(msg string) { e.failMember("", msg) }

func (e *Encoder) failMember(name, msg string) {
	if e.err == nil {
		e.err = &EncodeError{Msg: msg}
		e.place, e.name = len(e.buf)-e.start, name
	}
}

// Fail makes encoding fail with a message of the caller's. The error names the place of the value that would be
// written next.
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

// Revision returns the revision that the encoder writes.
func (e *Encoder) Revision() Revision { return e.rev }

// Since reports whether the encoder writes from or a later revision, or [Any].
func (e *Encoder) Since(from Revision) bool { return e.rev.Since(from) }

// Before reports whether the encoder writes a revision earlier than until, or [Any].
func (e *Encoder) Before(until Revision) bool { return e.rev.Before(until) }

// Within reports whether the encoder writes a revision in [from, until), or [Any].
func (e *Encoder) Within(from, until Revision) bool {
	return e.rev == Any || e.rev >= from && e.rev < until
}

// Needs reports whether the encoder writes a revision in [from, until), where an until of 0 is no limit. It
// returns false for [Any], which requires nothing.
func (e *Encoder) Needs(from, until Revision) bool {
	return e.rev != Any && e.rev >= from && (until == 0 || e.rev < until)
}

// Begin begins an object of type t. It fails and returns false if there is no value, or if the revision does not
// have the type.
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

// Present fails and returns false if there is no value of the named type or union.
func (e *Encoder) Present(name string, present bool) bool {
	if !present {
		e.fail("the " + name + " is nil")
	}
	return present
}

// End writes the extra members, and ends an object. An extra member that the type declares is an error, and so is
// a duplicate.
func (e *Encoder) End(t *Type, extra Extra) {
	var seen names
	for i, m := range extra {
		switch {
		case t.knows(m.Name):
			e.failMember(m.Name, "want an extra member, got one that the type declares")
			return
		case !addName(&seen, extra[:i], m.Name):
			e.failMember(m.Name, "duplicate extra member")
			return
		}
		e.Name(m.Name)
		e.Raw(m.Value)
	}
	e.depth--
	e.buf = append(e.buf, '}')
}

// Key begins a member. The name must not need escapes.
//
// Every codec calls it for every member: inlined, it is a fifth of the code of package mcp, 0.19 MB of a stdio server, and saves
// 1 ns a member.
//
//go:noinline
func (e *Encoder) Key(name string) {
	b := e.buf
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	e.buf = append(b, '"', ':')
}

// Lacks fails because the revision does not have something.
func (e *Encoder) Lacks(what string, has Span) {
	if len(e.buf) == e.start { // the value as a whole, which the message names already
		what = "it"
	}
	e.fail(what + " exists " + has.String() + ", not in " + e.rev.String())
}

// Absent fails because a member is absent that the revision requires. [Any] requires none.
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

// appendFloat appends a number as encoding/json writes it: without an exponent unless it is very small or very
// large.
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

// Raw writes a raw value. An absent one is an error, and with [MarshalChecked] so is an invalid one. A value with
// line breaks is written without white space, any other unchanged.
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
