package args

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/decimal"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// number reads a number and returns its text, or nil if there is none. An integer that is written in a string because
// its type says so (see [Decoder.Quoted]) has only one spelling.
func (d *Decoder) number(what string, integer bool) []byte {
	kind := d.begin()
	if kind == wire.KindNumber && (!d.quoted || d.coerce) {
		d.quoted = false
		token := d.w.Raw()
		d.end = d.w.Offset()
		return token
	}
	if kind == wire.KindString && (d.quoted || d.coerce) {
		token := []byte(d.w.String())
		d.end = d.w.Offset()
		quoted := d.quoted
		d.quoted = false
		if isNumber(token) && !(quoted && integer && !isCanonical(token)) {
			return token
		}
	} else {
		d.skip()
	}
	if d.quoted {
		d.quoted = false
		what += " in a string"
	}
	d.want(what)
	return nil
}

// Quoted says that the next scalar is written in a string, as encoding/json does for fields with ",string". With
// coercion, it may also be written without one.
func (d *Decoder) Quoted() { d.quoted = true }

// isNumber reports whether b is exactly the JSON text of a number.
func isNumber(b []byte) bool {
	r := wire.Raw(b)
	return len(b) > 0 && b[0] > ' ' && b[len(b)-1] > ' ' && r.Kind() == wire.KindNumber && r.Check() == nil
}

// isCanonical reports whether a number is written as integers usually are, without fraction and exponent.
func isCanonical(token []byte) bool {
	return !bytes.ContainsAny(token, ".eE") && string(token) != "-0"
}

// Int reads an integer. 1.0 and 1e2 are integers.
func (d *Decoder) Int(min, max int64) int64 {
	token := d.number("an integer", true)
	if token == nil {
		return 0
	}
	negative, n, form := parseInteger(token)
	switch {
	case form == fraction:
		d.want("an integer")
	case negative && (form == large || n > 1<<63 || -int64(n) < min), !negative && form == exact && n <= math.MaxInt64 && int64(n) < min:
		d.want("an integer of at least " + strconv.FormatInt(min, 10))
	case form == large || !negative && (n > math.MaxInt64 || int64(n) > max), negative && -int64(n) > max:
		d.want("an integer of at most " + strconv.FormatInt(max, 10))
	case negative:
		return -int64(n)
	default:
		return int64(n)
	}
	return 0
}

// IntOf reads an integer of a type whose range may be smaller than the bounds on some machines. See [Decoder.Int].
func IntOf[T ~int](d *Decoder, low, high int64) T {
	return T(d.Int(max(low, math.MinInt), min(high, math.MaxInt)))
}

// UintOf reads an unsigned integer of a type whose range may be smaller than the bounds on some machines. See [Decoder.Uint].
func UintOf[T ~uint](d *Decoder, low, high uint64) T {
	return T(d.Uint(low, min(high, math.MaxUint)))
}

// Uint reads an integer. See [Decoder.Int].
func (d *Decoder) Uint(min, max uint64) uint64 {
	token := d.number("an integer", true)
	if token == nil {
		return 0
	}
	negative, n, form := parseInteger(token)
	negative = negative && (n != 0 || form == large)
	switch {
	case form == fraction:
		d.want("an integer")
	case negative, form == exact && n < min:
		d.want("an integer of at least " + strconv.FormatUint(min, 10))
	case form == large, n > max:
		d.want("an integer of at most " + strconv.FormatUint(max, 10))
	default:
		return n
	}
	return 0
}

// Float reads a number.
func (d *Decoder) Float(min, max float64) float64 {
	f, _ := d.float(min, max)
	return f
}

// MaxFloat32 is the shortest decimal of the largest float32, which is a little more than its value.
const MaxFloat32 = 3.4028235e38

// Float32 reads a number into the nearest float32. The bounds lie within [MaxFloat32].
func (d *Decoder) Float32(min, max float64) float32 {
	_, token := d.float(min, max)
	if token == nil {
		return 0
	}
	f, _ := strconv.ParseFloat(string(token), 32) // the bounds leave nothing to go wrong
	return float32(f)
}

// float reads a number, and returns its text, too, which is nil after a problem.
func (d *Decoder) float(min, max float64) (float64, []byte) {
	token := d.number("a number", false)
	if token == nil {
		return 0, nil
	}
	f, err := strconv.ParseFloat(string(token), 64)
	switch {
	case f < min:
		d.want("a number of at least " + formatFloat(min))
	case f > max:
		d.want("a number of at most " + formatFloat(max))
	case err != nil: // beyond what a float64 can hold, where the bounds are infinite
		d.want("a number in the range of double precision")
	default:
		return f, token
	}
	return 0, nil
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// Number reads a number and returns its text.
func (d *Decoder) Number(min, max float64) string {
	_, token := d.float(min, max)
	return string(token)
}

// BigInt reads an integer of at most 4096 digits, of which an exponent may account for 400. It is nil after a
// problem.
func (d *Decoder) BigInt() *big.Int {
	token := d.number("an integer", true)
	if token == nil {
		return nil
	}
	n := decimal.Parse(token)
	switch {
	case !n.IsInteger():
		d.want("an integer")
		return nil
	case n.Digits() > 0 && !isModestExponent(string(token)):
		d.want("an integer that is written out, or has an exponent of at most " + strconv.Itoa(maxExponent))
		return nil
	case n.Digits()+n.Exponent > maxDigits:
		d.want("an integer of at most " + strconv.Itoa(maxDigits) + " digits")
		return nil
	}
	v, _ := new(big.Int).SetString(string(n.AppendInteger(nil)), 10)
	return v
}

// BigBounds checks the integer that was read last. A bound is a decimal number, or empty for none.
func (d *Decoder) BigBounds(n *big.Int, min, max string) {
	if !d.good {
		return
	}
	if what := outside(n, min, max); what != "" {
		d.want(what)
	}
}

// A form is the outcome of parsing an integer.
type form int

const (
	exact    form = iota
	large         // too large for its purpose
	fraction      // not an integer
)

const (
	// maxDigits bounds integers whose type does not, because time and memory grow with them.
	maxDigits = 4096
	// maxExponent bounds the digits that an exponent accounts for, because a few bytes could make very many.
	maxExponent = 400
)

// isModest reports whether a number in any spelling of package math/big has few enough digits, and a small enough
// exponent, to be read quickly.
func isModest(s string) bool { return len(s) <= maxDigits && isModestExponent(s) }

func isModestExponent(s string) bool {
	i := strings.LastIndexAny(s, "eEpP")
	if i < 0 || strings.HasPrefix(strings.ToLower(strings.TrimLeft(s, "+-")), "0x") && s[i]|0x20 == 'e' {
		return true // in a hexadecimal number, e is a digit
	}
	e, _ := strconv.Atoi(strings.ReplaceAll(s[i+1:], "_", "")) // 0 if it is not a number, the nearest int if it is out of range
	return -maxExponent <= e && e <= maxExponent
}

// parseInteger returns the sign and the magnitude of a number.
func parseInteger(token []byte) (negative bool, n uint64, f form) {
	digits := token
	if token[0] == '-' {
		negative, digits = true, token[1:]
	}
	if len(digits) <= 18 {
		for i, c := range digits {
			if c -= '0'; c > 9 {
				break
			}
			n = n*10 + uint64(c)
			if i == len(digits)-1 {
				return negative, n, exact
			}
		}
	}
	number := decimal.Parse(token)
	n, ok := number.Magnitude()
	switch {
	case !number.IsInteger():
		f = fraction
	case !ok:
		f = large
	}
	return number.Negative, n, f
}
