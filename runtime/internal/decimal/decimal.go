// Package decimal reads the numbers of JSON exactly: by their digits, so that nothing is rounded, and without writing out what
// an exponent stands for, so that it takes linear time.
package decimal

import (
	"bytes"
	"math/bits"
	"slices"
	"strconv"
)

// A Number is an integer of digits, times ten to the power of Exponent. The integer does not end with a zero. Zero has no
// digits, no sign, and the exponent 0.
type Number struct {
	Negative bool
	Exponent int
	digits   []byte // as they are written, perhaps with a point among them
}

// Parse returns the number that token denotes, which must be the text of a JSON number, and not change while the Number is in
// use. An exponent that exceeds 30 bits becomes the nearest one that does not.
func Parse(token []byte) Number {
	digits, negative := bytes.CutPrefix(token, []byte("-"))
	exponent := 0
	if i := bytes.IndexAny(digits, "eE"); i >= 0 {
		n, _ := strconv.ParseInt(string(digits[i+1:]), 10, 31) // the nearest if it is out of range
		exponent, digits = int(n), digits[:i]
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
	if digits = bytes.TrimLeft(trimmed, "0."); len(digits) == 0 {
		return Number{}
	}
	return Number{negative, exponent, digits}
}

// Digits returns how many digits a number has, without those that its exponent stands for.
func (n Number) Digits() int {
	if bytes.IndexByte(n.digits, '.') >= 0 {
		return len(n.digits) - 1
	}
	return len(n.digits)
}

// IsInteger reports whether a number is an integer.
func (n Number) IsInteger() bool { return n.Exponent >= 0 }

// AppendInteger appends an integer to dst, with all of its digits, of which there are [Number.Digits] and Exponent more.
func (n Number) AppendInteger(dst []byte) []byte {
	if len(n.digits) == 0 {
		return append(dst, '0')
	}
	if n.Negative {
		dst = append(dst, '-')
	}
	dst = append(dst, n.text()...)
	for range n.Exponent {
		dst = append(dst, '0')
	}
	return dst
}

// Magnitude returns the absolute value of n, and whether n is an integer and its absolute value fits 64 bits.
func (n Number) Magnitude() (v uint64, ok bool) {
	const most = 20 // digits of 64 bits
	if !n.IsInteger() || n.Exponent > most || n.Digits()+n.Exponent > most {
		return 0, false
	}
	n.Negative = false
	v, err := strconv.ParseUint(string(n.AppendInteger(make([]byte, 0, most))), 10, 64)
	return v, err == nil
}

// Equal reports whether two numbers are the same, as 4.20 and 42e-1 are.
func (n Number) Equal(m Number) bool {
	return n.Negative == m.Negative && n.Exponent == m.Exponent && string(n.text()) == string(m.text())
}

// String returns a text that is the same for equal numbers: "-42e-1".
func (n Number) String() string {
	sign := ""
	if n.Negative {
		sign = "-"
	}
	return sign + string(n.text()) + "e" + strconv.Itoa(n.Exponent)
}

// text returns the digits without a point.
func (n Number) text() []byte {
	if before, after, pointed := bytes.Cut(n.digits, []byte(".")); pointed {
		return slices.Concat(before, after)
	}
	return n.digits
}

// MaxStep is how many digits a step may have.
const MaxStep = 18

// MultipleOf reports whether a number is a multiple of a step, which must be positive and have at most [MaxStep] digits, or else
// nothing is.
func (n Number) MultipleOf(step Number) bool {
	if step.Negative || step.Digits() == 0 || step.Digits() > MaxStep {
		return false
	}
	// A number that is not zero ends with another digit, so that it has no fraction when divided by a power of ten.
	exponent := n.Exponent - step.Exponent
	if len(n.digits) == 0 || exponent < 0 {
		return len(n.digits) == 0
	}
	m := step.modulo(1 << 63) // more than any step
	remainder := n.modulo(m)
	power := 10 % m
	for ; exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			remainder = mulMod(remainder, power, m)
		}
		power = mulMod(power, power, m)
	}
	return remainder == 0
}

// modulo returns the integer of the digits modulo m.
func (n Number) modulo(m uint64) (remainder uint64) {
	for _, c := range n.digits {
		if c != '.' {
			remainder = mulMod(remainder, 10, m)
			remainder = (remainder + uint64(c-'0')) % m
		}
	}
	return remainder
}

// mulMod returns x × y modulo m.
func mulMod(x, y, m uint64) uint64 {
	high, low := bits.Mul64(x, y%m)
	return bits.Rem64(high, low, m)
}
