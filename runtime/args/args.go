// Package args is the runtime of the code that `mcpgen tools` generates: it reads and checks the arguments of
// tools, prompts and resource templates, and writes what tools return. It works in one pass over the JSON text
// and without reflection.
//
// Programs use its errors, [Error] and [ResultError]. The rest is for generated code and changes together with
// it: a generated file compiles only with a version of this package that supports it (see
// [GeneratedForVersion1_RunGoGenerate]).
//
// A [Decoder] goes on after a problem, so that one [Error] tells all that is wrong, a line each,
// for a model to read:
//
//	days: want an integer of at most 14, got 20
//	address.street: required
//	dayz: unknown argument; did you mean days?
//
// What a tool returns is checked, too, as far as its type and directives promise more in the output
// schema than a Go type says: it is an error if it breaks that.
//
// What generated code demands of arguments is what the JSON Schema of the tool says. Beyond it,
// members of an object may stand only once, text must be valid UTF-8, nesting is bounded by
// [wire.MaxDepth], numbers must fit the Go type, a float64 where that is open, and an integer
// without bounds has at most 4096 digits, of which an exponent may stand for 400; the same goes for a
// [big.Rat] and a [big.Float]. Integers are exact; the bounds of other numbers are
// compared with the nearest float64.
//
// Values look as encoding/json writes them, but for these: a time.Duration is "1h30m", and a url.URL its
// text; a nil slice, map or []byte is empty, a nil pointer is left out, and null is no element; keys of
// maps that are strings with MarshalText are written by it; methods of pointers are called wherever the
// value stands; text beside the option string of a json tag has no second quotes. Also read are
// integers spelled 1.0 or 1e2, and embedded pointers to structs that are not exported.
package args

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	// maxProblems is how many problems an error tells; the others are counted.
	maxProblems = 20
	// maxExcerpt is how many bytes of a value a problem repeats.
	maxExcerpt = 40
	// maxReason is how many bytes of a foreign error a problem repeats.
	maxReason = 200
)

// An Error says what is wrong with the arguments of a call.
type Error struct {
	Problems []string // one a line: "days: want an integer of at most 14, got 20"
}

func (e *Error) Error() string { return strings.Join(e.Problems, "\n") }

// A Decoder reads the arguments of one call. Generated code calls its methods, each of which reads
// one value. A value that is not as it should be is noted as a problem and skipped; the method then
// returns a zero value. Strings and raw values that it returns are parts of the JSON text.
type Decoder struct {
	w      wire.Decoder
	data   []byte
	coerce bool

	start, end int  // of the value that was read last
	good       bool // nothing is wrong with it
	quoted     bool // the next scalar stands in a string
	badName    bool // the name of a member is not as it should be

	problems []string
	more     int // how many problems are not in problems
}

// New returns a decoder of the arguments in raw, which nobody may change while what was read is in
// use. With coerce, a string that holds exactly the JSON text of a scalar is taken for that where it
// is wanted, and null for an optional argument is absence, unless its type takes null.
func New(raw wire.Raw, coerce bool) *Decoder {
	return &Decoder{w: wire.NewDecoder(raw), data: raw, coerce: coerce}
}

// OfStrings returns a decoder of arguments that came as strings, such as those of a prompt: it is
// New for the object that they make, with coerce.
func OfStrings(values map[string]string) *Decoder {
	raw, err := wire.MarshalFunc(wire.Any, &values, func(v *map[string]string, e *wire.Encoder) {
		wire.PutMap(e, *v, wire.PutString[string])
	})
	if err != nil { // strings can always be encoded
		return &Decoder{problems: []string{err.Error()}}
	}
	return New(raw, true)
}

// Finish returns what is wrong with the arguments as a whole, an *[Error], nil if nothing is.
func (d *Decoder) Finish() error {
	if err, ok := d.w.Finish().(*wire.DecodeError); ok {
		path := err.Path
		if path == "" {
			path = whole
		}
		d.add(path + ": " + err.Msg)
	}
	if len(d.problems) == 0 {
		return nil
	}
	if d.more > 0 {
		d.problems = append(d.problems, "… and "+strconv.Itoa(d.more)+" more")
	}
	return &Error{d.problems}
}

// whole is what problems call the object of all arguments.
const whole = "arguments"

// full reports whether another problem would only be counted, so that there is no need to word it.
func (d *Decoder) full() bool { return len(d.problems) == maxProblems }

// lost counts a problem that has no room any more, and reports whether it did.
func (d *Decoder) lost() bool {
	if d.full() {
		d.more++
		d.good = false
		return true
	}
	return false
}

func (d *Decoder) add(line string) {
	if d.lost() {
		return
	}
	d.problems = append(d.problems, line)
}

// problem notes what is wrong with the value at offset, or with a member of it that is not there.
func (d *Decoder) problem(offset int, member, what string) {
	if d.w.Failed() {
		return // it is no JSON, which is the only thing to tell
	}
	if d.lost() {
		return
	}
	path := wire.PathAt(d.data, offset, member)
	if path == "" {
		path = whole
	}
	d.add(path + ": " + what)
}

// want notes that the value that was read last is not what it should be.
func (d *Decoder) want(what string) {
	d.good = false
	if !d.w.Failed() && !d.lost() {
		d.problem(d.start, "", "want "+what+", got "+excerpt(d.data[d.start:d.end]))
	}
}

// refuse notes why something that this package does not know did not accept the value.
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

// cut returns s, shortened to n bytes if it is longer.
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

// is reports whether the value that comes next is of a kind. Another one is skipped.
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

// Skip reads a value of any kind that is of no interest.
func (d *Decoder) Skip() { d.w.Skip() }
