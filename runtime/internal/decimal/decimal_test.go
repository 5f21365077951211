package decimal

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// random returns a number, in one of the spellings that JSON has for it.
func random(r *rand.Rand) string {
	digits := func(most int) string {
		text := ""
		for range r.IntN(most + 1) {
			text += strconv.Itoa(r.IntN(10) * r.IntN(2)) // zeros are frequent
		}
		return text
	}
	text := strings.TrimLeft(digits(12), "0")
	if text == "" {
		text = "0"
	}
	if r.IntN(2) == 0 {
		text += "." + digits(8) + strconv.Itoa(r.IntN(10))
	}
	if r.IntN(3) == 0 {
		text += []string{"e", "E", "e+", "e-", "E-"}[r.IntN(5)] + strconv.Itoa(r.IntN(24))
	}
	if r.IntN(3) == 0 {
		text = "-" + text
	}
	return text
}

// What a number is, is what it is as an exact fraction.
func TestNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	last, lastExact := Number{}, new(big.Rat)
	for range 50_000 {
		text := random(r)
		exact, _ := new(big.Rat).SetString(text)
		n := Parse([]byte(text))
		if again, ok := new(big.Rat).SetString(n.String()); n.Digits() > 0 && (!ok || again.Cmp(exact) != 0) {
			t.Errorf("%s became %s", text, n)
		}
		if n.IsInteger() != exact.IsInt() {
			t.Errorf("%s is an integer: %t", text, n.IsInteger())
		}
		if n.IsInteger() {
			if got := string(n.AppendInteger(nil)); got != exact.Num().String() || n.Digits() > 0 && len(strings.TrimPrefix(got, "-")) != n.Digits()+n.Exponent {
				t.Errorf("%s is the integer %s of %d digits", text, got, n.Digits()+n.Exponent)
			}
		}
		magnitude := new(big.Int).Abs(exact.Num())
		if got, ok := n.Magnitude(); ok != (exact.IsInt() && magnitude.IsUint64()) || ok && got != magnitude.Uint64() {
			t.Errorf("the magnitude of %s is %d, %t", text, got, ok)
		}
		if n.Equal(last) != (exact.Cmp(lastExact) == 0) || (n.String() == last.String()) != n.Equal(last) || !n.Equal(Parse([]byte(respelled(n)))) {
			t.Errorf("%s equals %s: %t", n, last, n.Equal(last))
		}
		if lastExact.Sign() > 0 && last.Digits() <= MaxStep {
			if got := n.MultipleOf(last); got != new(big.Rat).Quo(exact, lastExact).IsInt() {
				t.Errorf("%s is a multiple of %s: %t", n, last, got)
			}
		}
		last, lastExact = n, exact
	}
}

// respelled returns another text of a number.
func respelled(n Number) string {
	if n.Digits() == 0 {
		return "-0.00e7"
	}
	sign := ""
	if n.Negative {
		sign = "-"
	}
	text := string(n.text())
	return fmt.Sprintf("%s0.%s000E%+d", sign, text, n.Exponent+len(text))
}

// An exponent of many digits is no work.
func TestFarExponents(t *testing.T) {
	large, small, zero := Parse([]byte("1.5e99999999999999999999")), Parse([]byte("-15e-99999999999999999999")), Parse([]byte("-0.0e99999999999999999999"))
	if _, fits := large.Magnitude(); fits || !large.IsInteger() || !large.MultipleOf(Parse([]byte("5"))) || large.MultipleOf(Parse([]byte("7"))) {
		t.Errorf("%s", large)
	}
	if small.IsInteger() || small.MultipleOf(Parse([]byte("1e-400"))) || !small.Negative {
		t.Errorf("%s", small)
	}
	if v, fits := zero.Magnitude(); v != 0 || !fits || string(zero.AppendInteger(nil)) != "0" || !zero.MultipleOf(Parse([]byte("3"))) {
		t.Errorf("%s", zero)
	}
}
