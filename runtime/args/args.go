// Package args is the runtime of the code that `mcpgen tools` generates: it reads and checks the arguments of
// tools, prompts and resource templates, and writes what tools return. It works in one pass over the JSON text
// and without reflection.
//
// Programs use its errors, [Error] and [ResultError]. The rest is for generated code and changes together with
// it: a generated file compiles only with a version of this package that supports it (see
// [GeneratedForVersion6_RunGoGenerate]).
//
// A [Decoder] continues after a problem, so that one [Error] lists all that is wrong, for a model to read:
//
//	days: want an integer of at most 14, got 20
//	address.street: required
//	dayz: unknown argument; did you mean days?
//
// What a tool returns is checked as well, where its output schema promises more than the Go type: a result that breaks
// the promise is an error.
//
// Generated code requires of arguments what the JSON Schema of the tool says. Beyond that, an object has no duplicate
// members, text must be valid UTF-8, nesting is bounded by [wire.MaxDepth], and numbers must fit the Go type, or a
// float64 if that is any. An integer without bounds has at most 4096 digits, of which an exponent may account for 400;
// the same is true of a [big.Rat] and a [big.Float]. Integers are exact; the bounds of other numbers are compared with
// the nearest float64.
//
// Values are written as encoding/json writes them, with these exceptions: a time.Duration is "1h30m", and a url.URL is
// its text; a nil slice, map or []byte is empty, a nil pointer is omitted, and null is not an element; keys of maps that
// are strings with MarshalText are written by it; methods with pointer receivers are called wherever the value is; a
// text with the option string in its json tag is not quoted twice. Integers may also be written as 1.0 or 1e2, and
// embedded pointers to unexported structs are read, too.
package args

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	// maxProblems is how many problems an error lists. The others are counted.
	maxProblems = 20
	// maxExcerpt is how many bytes of a value a problem repeats.
	maxExcerpt = 40
	// maxReason is how many bytes of a foreign error a problem repeats.
	maxReason = 200
)

// An Error lists what is wrong with the arguments of a call.
type Error struct {
	Problems []string // one a line: "days: want an integer of at most 14, got 20"
}

func (e *Error) Error() string { return strings.Join(e.Problems, "\n") }

// A Decoder reads the arguments of one call. Generated code calls its methods, each of which reads one value. If a value
// is invalid, the method records a problem, skips the value, and returns a zero value. Strings and raw values share
// the memory of the JSON text.
type Decoder struct {
	w      wire.Decoder
	data   []byte
	coerce bool

	start, end int  // of the value that was read last
	good       bool // nothing is wrong with it
	quoted     bool // the next scalar is written in a string
	badName    bool // the name of a member is invalid

	problems []problem
	more     int // how many problems are not in problems
}

// A problem is what is wrong with the value at an offset, or with a member that it lacks. Where that is, is only found out for an
// error.
type problem struct {
	offset int
	member string
	what   string
}

// New returns a decoder of the arguments in raw, which must not change while what was read is in use. With coerce, a
// string that is exactly the JSON text of a scalar is accepted in its place, and null for an optional argument means
// that it is absent, unless null is a value of its type.
func New(raw wire.Raw, coerce bool) *Decoder {
	return &Decoder{w: wire.NewDecoder(raw), data: raw, coerce: coerce}
}

// OfStrings returns a decoder of arguments that are strings, such as those of a prompt. It coerces them to other
// types.
func OfStrings(values map[string]string) *Decoder {
	raw, err := wire.MarshalFunc(wire.Any, &values, func(v *map[string]string, e *wire.Encoder) {
		wire.PutMap(e, *v, wire.PutString[string])
	})
	if err != nil { // strings can always be encoded
		return &Decoder{problems: []problem{{what: err.Error()}}}
	}
	return New(raw, true)
}

// Finish returns an *[Error] that lists all problems, or nil if there are none.
func (d *Decoder) Finish() error {
	var lines []string
	more := d.more
	for _, p := range d.problems {
		lines = append(lines, d.line(p))
	}
	if err, ok := d.w.Finish().(*wire.DecodeError); ok {
		if len(lines) < maxProblems {
			lines = append(lines, cmp.Or(err.Path, whole)+": "+err.Msg)
		} else {
			more++
		}
	}
	if len(lines) == 0 {
		return nil
	}
	if more > 0 {
		lines = append(lines, "… and "+strconv.Itoa(more)+" more")
	}
	return &Error{lines}
}

// whole is what problems call the object of all arguments.
const whole = "arguments"

// full reports whether another problem would only be counted, so that its text is not needed.
func (d *Decoder) full() bool { return len(d.problems) == maxProblems }

// lost counts a problem if there is no room for it, and reports whether it did.
func (d *Decoder) lost() bool {
	if d.full() {
		d.more++
		d.good = false
		return true
	}
	return false
}

// problem records what is wrong with the value at offset, or with a member that it lacks.
func (d *Decoder) problem(offset int, member, what string) {
	if !d.w.Failed() && !d.lost() { // else it is not JSON, which is all there is to say
		d.problems = append(d.problems, problem{offset, member, what})
	}
}

// line returns the text of a problem.
func (d *Decoder) line(p problem) string {
	return cmp.Or(wire.PathAt(d.data, p.offset, p.member), whole) + ": " + p.what
}

// want records a problem: the value that was read last is not what is wanted.
func (d *Decoder) want(what string) {
	d.good = false
	if !d.w.Failed() && !d.lost() {
		d.problem(d.start, "", "want "+what+", got "+excerpt(d.data[d.start:d.end]))
	}
}

// refuse records why a method of the user's type did not accept the value.
func (d *Decoder) refuse(err error) {
	d.good = false
	if d.lost() {
		return
	}
	reason := strings.Join(strings.Fields(err.Error()), " ")
	d.problem(d.start, "", "not accepted: "+cut(reason, maxReason))
}

// excerpt returns a value for a message.
func excerpt(value []byte) string {
	switch wire.Raw(value).Kind() {
	case wire.KindArray:
		return "an array"
	case wire.KindObject:
		return "an object"
	case wire.KindString:
		if len(value) > maxExcerpt+2 {
			return cut(value, maxExcerpt) + `"`
		}
	}
	return cut(value, maxExcerpt+2)
}

// cut returns s, shortened to n bytes if it exceeds them.
func cut[T string | []byte](s T, n int) string {
	if len(s) <= n {
		return string(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return string(s[:n]) + "…"
}

// begin prepares to read a value and returns its kind.
func (d *Decoder) begin() wire.Kind {
	kind := d.w.Kind()
	d.start, d.good = d.w.Offset(), true
	return kind
}

// is reports whether the value that comes next is of a kind. It skips a value of another kind.
func (d *Decoder) is(kind wire.Kind, what string) bool {
	if d.begin() == kind {
		return true
	}
	d.skip()
	d.want(what)
	return false
}

func (d *Decoder) skip() {
	d.w.Skip()
	d.end = d.w.Offset()
}

// Skip reads a value of any kind and discards it.
func (d *Decoder) Skip() { d.w.Skip() }
