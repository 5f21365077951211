package parser

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// maxNumber is how long a numeric literal may be, which is more than any float64 needs.
const maxNumber = 1100

// jsonNumber returns a numeric literal in JSON's notation. It stays as it is where JSON allows that, since 1.0 and
// 1e3 say more than 1 and 1000. A number that exceeds a float64, which JavaScript uses, is not valid.
func jsonNumber(literal string) (n Number, ok bool) {
	if len(literal) > maxNumber {
		return "", false
	}
	text := strings.ReplaceAll(literal, "_", "")
	i, isInteger := new(big.Int).SetString(text, 0) // 0x1F, 0o17 or 0b11
	valid := json.Valid([]byte(text))
	if isInteger && !valid {
		text = i.String()
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f == 0 && strings.ContainsAny(mantissa(text), "123456789") {
		return "", false
	}
	if isInteger || valid {
		return Number(text), true
	}
	return Number(strconv.FormatFloat(f, 'g', -1, 64)), true // .5 or 5.
}

// mantissa returns a decimal number without its exponent.
func mantissa(text string) string {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i]
	}
	return text
}
