package parser

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// jsonNumber returns a numeric literal in JSON's notation. It stays as it is where JSON allows that,
// since 1.0 and 1e3 say more than 1 and 1000.
func jsonNumber(literal string) (n Number, ok bool) {
	text := strings.ReplaceAll(literal, "_", "")
	if json.Valid([]byte(text)) {
		return Number(text), true
	}
	if i, ok := new(big.Int).SetString(text, 0); ok { // 0x1F, 0o17 or 0b11
		return Number(i.String()), true
	}
	f, err := strconv.ParseFloat(text, 64) // .5 or 5.
	if err != nil {
		return "", false
	}
	return Number(strconv.FormatFloat(f, 'g', -1, 64)), true
}
