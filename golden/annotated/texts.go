package annotated

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Texts are values that stand in strings.
type Texts struct {
	Time   time.Time     `json:"time"`
	Length time.Duration `json:"length"`
	URL    url.URL       `json:"url"`
	Bytes  []byte        `json:"bytes"`
	Addr   netip.Addr    `json:"addr"` // of IPv4 or IPv6
	Color  Color         `json:"color"`
}

// A Color is written as in CSS.
//
//mcp:schema {"type":"string","pattern":"^#[0-9a-f]{6}$"}
type Color [3]byte

func (c Color) MarshalText() ([]byte, error) { return []byte("#" + hex.EncodeToString(c[:])), nil }

func (c *Color) UnmarshalText(text []byte) error {
	digits, ok := strings.CutPrefix(string(text), "#")
	if !ok || len(digits) != 6 || strings.ToLower(digits) != digits {
		return errors.New("want a color such as #0080ff")
	}
	_, err := hex.Decode(c[:], []byte(digits))
	return err
}

// EchoTexts gives back texts.
//
//mcp:tool strict
func EchoTexts(t Texts) Texts { return t }

// Numbers have no size.
type Numbers struct {
	Big    *big.Int    `json:"big"`
	Exact  big.Int     `json:"exact"`
	Number json.Number `json:"number"`
}

// EchoNumbers gives back numbers.
//
//mcp:tool strict
//mcp:param big optional
func EchoNumbers(big *big.Int, exact big.Int, number json.Number) Numbers {
	return Numbers{big, exact, number}
}

// Values are of any type.
type Values struct {
	Any  any             `json:"any"`
	Raw  json.RawMessage `json:"raw"`
	Wire wire.Raw        `json:"wire"`
	Map  map[string]any  `json:"map"`
}

// EchoValues gives back values of any type.
//
//mcp:tool strict
func EchoValues(v Values) Values { return v }

// A Price is an amount of money, with its currency.
//
//mcp:schema {"type":"object","properties":{"cents":{"type":"integer","minimum":0,"maximum":1000000},"currency":{"type":"string","enum":["EUR","USD"]}},"required":["cents","currency"],"additionalProperties":false}
type Price struct {
	cents  int
	dollar bool
}

func (p Price) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"cents":%d,"currency":%q}`, p.cents, map[bool]string{false: "EUR", true: "USD"}[p.dollar]), nil
}

func (p *Price) UnmarshalJSON(text []byte) error {
	var v map[string]json.RawMessage
	if err := json.Unmarshal(text, &v); err != nil || len(v) != 2 {
		return errors.New("want an object with cents and a currency")
	}
	cents, ok := new(big.Rat).SetString(string(v["cents"]))
	if !ok || !cents.IsInt() || cents.Sign() < 0 || cents.Cmp(big.NewRat(1_000_000, 1)) > 0 {
		return errors.New("cents: want an integer from 0 to 1000000")
	}
	var currency string
	if err := json.Unmarshal(v["currency"], &currency); err != nil || currency != "EUR" && currency != "USD" {
		return errors.New("currency: want EUR or USD")
	}
	p.cents, p.dollar = int(cents.Num().Int64()), currency == "USD"
	return nil
}

// EchoPrice gives back a value that reads and writes itself.
//
//mcp:tool strict
func EchoPrice(p Price, more ...Price) (prices []Price) { return append([]Price{p}, more...) }

// A Rule is kept as it came.
//
//mcp:schema {"oneOf":[{"type":"object","properties":{"kind":{"const":"range"},"from":{"type":"number","exclusiveMinimum":0},"to":{"type":"number","exclusiveMaximum":100,"multipleOf":0.25},"step":{"type":"integer","minimum":1,"maximum":9}},"required":["kind","from"],"additionalProperties":false},{"type":"object","properties":{"kind":{"const":"list"},"items":{"type":"array","items":{"type":"string","minLength":1,"maxLength":3},"minItems":1,"maxItems":4,"uniqueItems":true}},"required":["kind","items"],"additionalProperties":{"type":"boolean"},"maxProperties":4},{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"null"},{"type":"string","format":"date"}]}},{"enum":["all","none",0,true,null]}]}
type Rule struct{ json.RawMessage }

// A Limit is one, too.
//
//mcp:schema {"type":"object","properties":{"rules":{"type":"object","additionalProperties":{"type":"integer","not":{"const":7}},"minProperties":1},"all":{"allOf":[{"type":"string","pattern":"^[a-c]"},{"type":"string","maxLength":4}]}}}
type Limit struct{ json.RawMessage }

// EchoRules gives back what is kept as it came.
//
//mcp:tool strict
func EchoRules(rule Rule, more []Rule, limit Limit) (r Rule, m []Rule, l Limit) {
	return rule, more, limit
}
