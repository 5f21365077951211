package args

import (
	"math/big"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/decimal"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// MultipleOf checks that the number that was read last is a multiple of step, a positive number. It works on the
// decimal digits, so that 0.07 is a multiple of 0.01. See
// https://json-schema.org/draft/2020-12/json-schema-validation#name-multipleof
func (d *Decoder) MultipleOf(step string) {
	if !d.good {
		return
	}
	token := d.data[d.start:d.end]
	if wire.Raw(token).Kind() == wire.KindString { // a number that is written in a string
		w := wire.NewDecoder(token)
		token = []byte(w.String())
	}
	if !isMultiple(token, step) {
		d.want("a multiple of " + step)
	}
}

// WantMultipleOf checks that v, which is written next, is a multiple of step.
func WantMultipleOf[T int64 | uint64 | float32 | float64](e *wire.Encoder, v T, step string) {
	var buffer [32]byte
	token := buffer[:0]
	switch v := any(v).(type) {
	case int64:
		token = strconv.AppendInt(token, v, 10)
	case uint64:
		token = strconv.AppendUint(token, v, 10)
	case float32:
		token = strconv.AppendFloat(token, float64(v), 'g', -1, 32)
	case float64:
		token = strconv.AppendFloat(token, v, 'g', -1, 64)
	}
	wantMultiple(e, token, step)
}

// WantNumberMultipleOf checks that a number given as text, which is written next, is a multiple of step.
func WantNumberMultipleOf(e *wire.Encoder, text, step string) {
	if isNumber([]byte(text)) { // other texts are for PutNumber
		wantMultiple(e, []byte(text), step)
	}
}

// WantBigMultipleOf checks that a large integer, which is written next, is a multiple of step.
func WantBigMultipleOf(e *wire.Encoder, n *big.Int, step string) {
	wantMultiple(e, n.Append(nil, 10), step)
}

func wantMultiple(e *wire.Encoder, token []byte, step string) {
	if !isMultiple(token, step) {
		e.Fail("want a multiple of " + step + ", got " + cut(string(token), maxExcerpt))
	}
}

// IsMultipleOf reports whether a JSON number is a multiple of step.
func IsMultipleOf(number, step string) bool { return isMultiple([]byte(number), step) }

// IsStep reports whether a JSON number can be used with [IsMultipleOf]: it must be positive, have at most 18
// digits, and an exponent within ±400.
func IsStep(step string) bool {
	if !isNumber([]byte(step)) {
		return false
	}
	n := decimal.Parse([]byte(step))
	return !n.Negative && n.Digits() > 0 && n.Digits() <= decimal.MaxStep && -maxExponent <= n.Exponent && n.Exponent <= maxExponent
}

func isMultiple(token []byte, step string) bool {
	return decimal.Parse(token).MultipleOf(decimal.Parse([]byte(step)))
}
