package args

import (
	"bytes"
	"math/big"
	"math/bits"
	"strconv"

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
	_, _, ok := parseStep(step)
	return ok
}

// isMultiple reports whether a number is a multiple of step, in linear time.
func isMultiple(token []byte, step string) bool {
	m, scale, ok := parseStep(step)
	if !ok {
		return false
	}
	digits, exponent, ok := decimal(token)
	switch {
	case !ok:
		return false
	case len(digits) == 0:
		return true
	}
	// The number is digits × 10^exponent, where the last digit is not 0; step is m × 10^scale.
	if exponent -= scale; exponent < 0 {
		return false
	}
	remainder := uint64(0)
	for _, c := range digits {
		if c != '.' {
			remainder = mulMod(remainder, 10, m)
			remainder = (remainder + uint64(c-'0')) % m
		}
	}
	power := 10 % m
	for ; exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			remainder = mulMod(remainder, power, m)
		}
		power = mulMod(power, power, m)
	}
	return remainder%m == 0
}

// mulMod returns x × y modulo m.
func mulMod(x, y, m uint64) uint64 {
	high, low := bits.Mul64(x, y%m)
	return bits.Rem64(high, low, m)
}

// parseStep returns m and scale of a number that is m × 10^scale, where m is positive and at most 18 digits long.
func parseStep(step string) (m uint64, scale int, ok bool) {
	digits, scale, _ := decimal([]byte(step)) // without digits if it fails
	if len(digits) == 0 || step[0] == '-' {
		return 0, 0, false
	}
	count := 0
	for _, c := range digits {
		if c != '.' {
			m = m*10 + uint64(c-'0')
			count++
		}
	}
	return m, scale, count <= 18 && -maxExponent <= scale && scale <= maxExponent
}

// decimal returns the digits of a JSON number without zeros around them, perhaps with a point among them, and the
// power of ten of the last one. Zero has no digits. It fails if the exponent is of more than 30 bits.
func decimal(token []byte) (digits []byte, exponent int, ok bool) {
	digits = bytes.TrimPrefix(token, []byte("-"))
	if i := bytes.IndexAny(digits, "eE"); i >= 0 {
		n, err := strconv.ParseInt(string(digits[i+1:]), 10, 30)
		if exponent, digits = int(n), digits[:i]; err != nil {
			return nil, 0, len(bytes.Trim(digits, "0.")) == 0
		}
	}
	if i := bytes.IndexByte(digits, '.'); i >= 0 {
		exponent -= len(digits) - i - 1
	}
	trimmed := bytes.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	if n := len(trimmed); n > 0 && trimmed[n-1] == '.' { // the zeros before the point count, too
		digits = bytes.TrimRight(trimmed[:n-1], "0")
		exponent += n - 1 - len(digits)
		trimmed = digits
	}
	return bytes.TrimLeft(trimmed, "0."), exponent, true
}
