package wire

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/decimal"
)

// Int reads an integer of 64 bits. 1.0 and 1e2 are integers; 1.5 is an error.
func (d *Decoder) Int() int64 {
	token, i, end := d.integer()
	if token == nil {
		return 0
	}
	n, ok := parseInt(token)
	if !ok {
		d.fail(i, "want integer of 64 bits, got "+cut(d.data[i:end]))
		return 0
	}
	d.pos = end
	return n
}

// integer finds the next integer, which stands between i and end, and returns its digits and sign; after an error it returns
// nil.
func (d *Decoder) integer() (token []byte, i, end int) {
	i = d.next()
	if i >= len(d.data) || kindOf(d.data[i]) != KindNumber {
		d.want("integer", i)
		return nil, i, i
	}
	end, integer, ok := scanNumber(d.data, i)
	if !ok {
		d.badNumber(i, end)
		return nil, i, end
	}
	if token = d.data[i:end]; !integer {
		n := decimal.Parse(token)
		switch {
		case !n.IsInteger():
			d.fail(i, "want integer, got "+cut(token))
			return nil, i, end
		case n.Digits()+n.Exponent > maxInt:
			d.fail(i, "want integer of 64 bits, got "+cut(token))
			return nil, i, end
		}
		token = n.AppendInteger(nil)
	}
	return token, i, end
}

// maxInt is how many digits an integer of 64 bits has at most.
const maxInt = 20

// IntOrNull reads an integer, or a null as no integer. See [Decoder.Int].
func (d *Decoder) IntOrNull() *int64 {
	if d.Null() {
		return nil
	}
	return new(d.Int())
}

// Float reads a number.
func (d *Decoder) Float() float64 {
	i := d.next()
	if i >= len(d.data) || kindOf(d.data[i]) != KindNumber {
		d.want("number", i)
		return 0
	}
	end, _, ok := scanNumber(d.data, i)
	if !ok {
		d.badNumber(i, end)
		return 0
	}
	f, err := strconv.ParseFloat(text(d.data[i:end]), 64)
	if err != nil {
		d.fail(i, "want number in the range of float64, got "+cut(d.data[i:end]))
		return 0
	}
	d.pos = end
	return f
}

// FloatOrNull reads a number, or a null as no number.
func (d *Decoder) FloatOrNull() *float64 {
	if d.Null() {
		return nil
	}
	return new(d.Float())
}

// BoolOrNull reads a boolean, or a null as no boolean.
func (d *Decoder) BoolOrNull() *bool {
	if d.Null() {
		return nil
	}
	return new(d.Bool())
}

// IDOrNull reads an id, or a null as an absent id.
func (d *Decoder) IDOrNull() ID {
	if d.Null() {
		return ID{}
	}
	return d.ID()
}

// badNumber fails because of the character at wrong, where scanNumber stopped, in the number at i.
func (d *Decoder) badNumber(i, wrong int) {
	d.fail(i, "want a digit, got "+found(d.data, wrong)+at(wrong))
}

// parseInt returns the integer that b denotes, an optional sign and digits, if it fits 64 bits.
func parseInt(b []byte) (n int64, ok bool) {
	digits := b
	if b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) > 18 {
		n, err := strconv.ParseInt(text(b), 10, 64)
		return n, err == nil
	}
	for _, c := range digits {
		n = n*10 + int64(c-'0')
	}
	if b[0] == '-' {
		n = -n
	}
	return n, true
}

// Uint reads an integer of 64 bits without a sign. 1.0 and 1e2 are integers; 1.5 is an error.
func (d *Decoder) Uint() uint64 {
	token, i, end := d.integer()
	if token == nil {
		return 0
	}
	n, err := strconv.ParseUint(text(token), 10, 64)
	if err != nil && string(token) != "-0" {
		d.fail(i, "want integer of 64 bits that is not negative, got "+cut(d.data[i:end]))
		return 0
	}
	d.pos = end
	return n
}
