package schema

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	// maxDigits is how many characters a number may have. Validation uses exact fractions, whose cost grows with the
	// square of them.
	maxDigits = 1000
	// maxExponent bounds the exponent of a number, which stands for that many digits. It exceeds the exponents of
	// float64.
	maxExponent = 400
	// manyDigits bounds the sum of all exponents. It is added to a bound that grows with the length of the text.
	manyDigits = 20_000
)

// decode decodes a value in the form that package jsonschema requires. A duplicate member is an error: the check
// would see one of the two, and the user of the value perhaps the other.
func decode(text wire.Raw) (any, error) {
	r := reader{left: manyDigits + 20*len(text)}
	d := wire.NewDecoder(text)
	var v any
	r.value(&v, &d)
	if err := d.Finish(); err != nil {
		if e := (*wire.DecodeError)(nil); errors.As(err, &e) && e.Path != "" {
			return nil, errors.New(e.Path + ": " + e.Msg)
		} else if e != nil {
			return nil, errors.New(e.Msg)
		}
		return nil, err
	}
	return v, nil
}

type reader struct {
	left int // how many digits the exponents of numbers may account for
}

func (r *reader) value(v *any, d *wire.Decoder) {
	switch d.Kind() {
	case wire.KindNull:
		d.Null()
	case wire.KindBool:
		*v = d.Bool()
	case wire.KindString:
		*v = d.String()
	case wire.KindNumber:
		*v = r.number(d)
	case wire.KindArray:
		*v = wire.Slice(d, r.value)
	case wire.KindObject:
		*v = wire.Map(d, r.value)
	default:
		d.Skip() // which fails
	}
}

func (r *reader) number(d *wire.Decoder) json.Number {
	at := *d
	token := string(d.Raw())
	exponent := 0
	for i := range len(token) {
		if token[i]|0x20 == 'e' {
			var err error
			if exponent, err = strconv.Atoi(token[i+1:]); err != nil {
				exponent = maxExponent + 1
			}
			break
		}
	}
	exponent = max(exponent, -exponent)
	if r.left -= exponent; d.Failed() || len(token) <= maxDigits && exponent <= maxExponent && r.left >= 0 {
		return json.Number(token)
	}
	*d = at
	if r.left < 0 {
		d.Fail("too many numbers with large exponents")
	} else {
		d.Fail("want a number of at most " + strconv.Itoa(maxDigits) + " characters, with an exponent within ±" + strconv.Itoa(maxExponent))
	}
	return ""
}
