package mcpheader

import (
	"strconv"
	"strings"
)

// sameNumber reports whether two texts are JSON numbers of the same value, as 42 and 42.0 are. It is exact for numbers of
// any size.
func sameNumber(a, b string) bool {
	x, ok := parseNumber(a)
	y, ok2 := parseNumber(b)
	return ok && ok2 && x == y
}

// A number is 0.DIGITS times ten to the power of point, where the digits neither begin nor end with a zero. Zero has no
// digits.
type number struct {
	negative bool
	digits   string
	point    int
}

// parseNumber reads a JSON number, and reports whether s is one with an exponent of at most six digits.
func parseNumber(s string) (n number, ok bool) {
	rest, negative := strings.CutPrefix(s, "-")
	mantissa, exponent, scaled := rest, "", false
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		mantissa, exponent, scaled = rest[:i], rest[i+1:], true
	}
	whole, fraction, pointed := strings.Cut(mantissa, ".")
	if !isDigits(whole) || len(whole) > 1 && whole[0] == '0' || pointed && !isDigits(fraction) {
		return number{}, false
	}
	shift := 0
	if scaled {
		unsigned := strings.TrimLeft(exponent, "+-")
		if len(exponent)-len(unsigned) > 1 || !isDigits(unsigned) || len(unsigned) > 6 {
			return number{}, false
		}
		shift, _ = strconv.Atoi(exponent)
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	point := len(whole) + shift - (len(whole) + len(fraction) - len(digits))
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return number{}, true
	}
	return number{negative, digits, point}, true
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isSafeInteger reports whether a JSON number is an integer within ±(2^53-1), which every program can represent
// exactly.
func isSafeInteger(s string) bool {
	const most = "9007199254740991"
	n, ok := parseNumber(s)
	switch {
	case !ok || n.point < len(n.digits) || n.point > len(most):
		return false
	case n.point < len(most):
		return true
	}
	return n.digits+strings.Repeat("0", len(most)-len(n.digits)) <= most
}
