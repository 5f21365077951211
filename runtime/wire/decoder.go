package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Decoder reads one JSON value. Generated code calls its methods, each of which reads the value that comes
// next.
//
// It keeps the first error. After it, every method returns a zero value, and objects and arrays end.
type Decoder struct {
	data    []byte // nil after an error, so that nothing more is read
	pos     int
	depth   int
	root    *Type
	missing []absence
	lost    int // how many absences are not in missing
	err     *DecodeError
	input   []byte // data, after an error
}

// An absence is a required member that is missing.
type absence struct {
	object int // offset of the object
	name   string
}

const (
	// maxMissing is how many missing members one error names.
	maxMissing = 20
	// maxLost is how many more the decoder counts before it stops reading: an object that lacks all members takes
	// two bytes of input, but hundreds of bytes of memory.
	maxLost = 1000
)

// fail records an error about the value at offset, unless there is one already.
func (d *Decoder) fail(offset int, msg string) {
	if d.err == nil {
		d.err = &DecodeError{Offset: int64(offset), Msg: msg}
		d.input = d.data
		d.data, d.pos = nil, 0
	}
}

// Fail makes decoding fail with a message of the caller's. The error names the place of the value that comes
// next.
func (d *Decoder) Fail(msg string) { d.fail(skipSpace(d.data, d.pos), msg) }

// finish checks that nothing follows the value, and returns the error.
func (d *Decoder) finish() error {
	if d.err == nil {
		if i := skipSpace(d.data, d.pos); i < len(d.data) {
			d.fail(i, "want nothing after the value, got "+found(d.data, i)+at(i))
		}
	}
	if d.err == nil && len(d.missing) == 0 {
		return nil
	}
	if d.err == nil {
		d.fail(d.missing[0].object, "")
	}
	if d.err.Msg == "" {
		d.err.Msg = d.missingMessage()
	} else {
		d.err.Path = pathAt(d.input, int(d.err.Offset))
	}
	if d.root != nil {
		d.err.Type = d.root.Name
	}
	return d.err
}

// missingMessage returns the error about required members that are missing, as miss has recorded them.
func (d *Decoder) missingMessage() string {
	paths := make([]string, len(d.missing))
	for i, m := range d.missing {
		paths[i] = joinPath(pathAt(d.input, m.object), m.name)
	}
	switch {
	case d.lost == maxLost:
		return "missing required members: " + strings.Join(paths, ", ") + " and at least " + strconv.Itoa(d.lost) + " more"
	case d.lost > 0:
		return "missing required members: " + strings.Join(paths, ", ") + " and " + strconv.Itoa(d.lost) + " more"
	case len(paths) > 1:
		return "missing required members: " + strings.Join(paths, ", ")
	}
	return "missing required member: " + paths[0]
}

// want fails because the value at i is not what is wanted.
func (d *Decoder) want(what string, i int) {
	if d.err != nil {
		return
	}
	msg := "want " + what + ", got " + found(d.data, i)
	if i >= len(d.data) || kindOf(d.data[i]) == KindInvalid {
		msg += at(i) // a syntax error: say exactly where
	}
	d.fail(i, msg)
}

// found describes what is at i, for a message.
func found(b []byte, i int) string {
	if i >= len(b) {
		return "the end of the input"
	}
	if k := kindOf(b[i]); k != KindInvalid {
		return k.String()
	}
	if r, n := utf8.DecodeRune(b[i:]); n > 1 || r < utf8.RuneSelf {
		return strconv.QuoteRuneToGraphic(r)
	}
	return "byte 0x" + strconv.FormatUint(uint64(b[i]), 16)
}

func at(offset int) string { return " at offset " + strconv.Itoa(offset) }

// next returns the index of the next token.
func (d *Decoder) next() int {
	if i := d.pos; i < len(d.data) && d.data[i] > ' ' {
		return i
	}
	d.pos = skipSpace(d.data, d.pos)
	return d.pos
}

// Kind returns the kind of the value that comes next, by its first character.
func (d *Decoder) Kind() Kind {
	if i := d.next(); i < len(d.data) {
		return kindOf(d.data[i])
	}
	return KindInvalid
}

// Null reads a null if one comes next, and reports whether it did.
func (d *Decoder) Null() bool {
	i := d.next()
	return i < len(d.data) && d.data[i] == 'n' && d.word("null", i)
}

// Bool reads a boolean.
func (d *Decoder) Bool() bool {
	i := d.next()
	if i < len(d.data) {
		switch d.data[i] {
		case 't':
			return d.word("true", i)
		case 'f':
			d.word("false", i)
			return false
		}
	}
	d.want("boolean", i)
	return false
}

// word reads the word w at i, whose first letter has been checked.
func (d *Decoder) word(w string, i int) bool {
	if end := i + len(w); end <= len(d.data) && string(d.data[i:end]) == w {
		d.pos = end
		return true
	}
	d.fail(i, "want "+w+", got an unknown word"+at(i))
	return false
}

// ID reads a string or an integer.
func (d *Decoder) ID() ID {
	i := d.next()
	if i < len(d.data) {
		switch kindOf(d.data[i]) {
		case KindString:
			if s := d.String(); d.err == nil {
				return StringID(s)
			}
			return ID{}
		case KindNumber:
			return d.intID(i)
		}
	}
	d.want("string or integer", i)
	return ID{}
}

func (d *Decoder) intID(i int) ID {
	end, integer, ok := scanNumber(d.data, i)
	switch {
	case !ok:
		d.badNumber(i, end)
	case !integer:
		d.fail(i, "want string or integer, got "+cut(d.data[i:end])+": an id is not written with a fraction or an exponent")
	default:
		if n, ok := parseInt(d.data[i:end]); ok {
			d.pos = end
			return IntID(n)
		}
		d.fail(i, "want string or integer, got "+cut(d.data[i:end])+", which does not fit 64 bits")
	}
	return ID{}
}

// cut returns the beginning of a token, for a message.
func cut(b []byte) string {
	if len(b) > maxQuoted {
		return string(b[:maxQuoted]) + "…"
	}
	return string(b)
}

// Literal reads a string that must be want.
func (d *Decoder) Literal(want string) {
	i := d.next()
	if end := i + len(want) + 1; end < len(d.data) && d.data[i] == '"' && d.data[end] == '"' && string(d.data[i+1:end]) == want {
		d.pos = end + 1
		return
	}
	if i >= len(d.data) || d.data[i] != '"' {
		d.want(quote(want), i)
	} else if got := d.String(); got != want {
		d.fail(i, "want "+quote(want)+", got "+quote(got))
	}
}

// LiteralBool reads a boolean that must be want.
func (d *Decoder) LiteralBool(want bool) {
	i := d.next()
	if got := d.Bool(); got != want {
		d.fail(i, "want "+strconv.FormatBool(want)+", got "+strconv.FormatBool(got))
	}
}

// LiteralNumber reads a number that must be want.
func (d *Decoder) LiteralNumber(want float64) {
	i := d.next()
	if got := d.Float(); got != want {
		d.fail(i, "want "+string(appendFloat(nil, want))+", got "+string(appendFloat(nil, got)))
	}
}
