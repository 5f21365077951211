package contract

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/args"
)

// limits are the keywords that bound numbers, lengths and counts.
var limits = []struct {
	lower, upper string
	above, below string // the same without the bound itself; empty if there is none
	counts       bool   // something that is never below 0
}{
	{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", false},
	{"minLength", "maxLength", "", "", true},
	{"minItems", "maxItems", "", "", true},
	{"minProperties", "maxProperties", "", "", true},
	{"x-go-min", "x-go-max", "x-go-above", "x-go-below", false},
	{"x-go-minlen", "x-go-maxlen", "", "", true},
}

// precision is that of bounds, in bits: enough for integers of 300 digits.
const precision = 1024

// float returns a number, or a duration in nanoseconds; nil of anything else.
func float(v any) *big.Float {
	if s, ok := v.(string); ok {
		d, err := time.ParseDuration(s)
		if err != nil {
			return nil
		}
		return new(big.Float).SetPrec(precision).SetInt64(int64(d))
	}
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	f, _, err := big.ParseFloat(string(n), 10, precision, big.ToNearestEven)
	if err != nil {
		return nil
	}
	return f
}

// bounds compares everything that limits numbers, lengths and counts.
func (c *comparer) bounds(path string, a, b *object) {
	for _, l := range limits {
		c.bound(path, tighter(a, l.lower, l.above, 1, l.counts), tighter(b, l.lower, l.above, 1, l.counts), 1)
		c.bound(path, tighter(a, l.upper, l.below, -1, false), tighter(b, l.upper, l.below, -1, false), -1)
	}
	c.steps(path, a, b)
}

// A bound is the keyword of a schema that bounds values on one side.
type bound struct {
	keyword   string // empty if there is none
	text      string
	value     *big.Float
	exclusive bool
}

// tighter returns which of two keywords bounds values more: sign is 1 for lower bounds and -1 for upper ones.
func tighter(s *object, inclusive, exclusive string, sign int, counts bool) bound {
	in := bound{inclusive, plain(s.get(inclusive)), float(s.get(inclusive)), false}
	if counts {
		in.value = positive(in.value)
	}
	out := bound{exclusive, "", nil, true}
	if exclusive != "" {
		out.text, out.value = plain(s.get(exclusive)), float(s.get(exclusive))
	}
	switch {
	case out.value == nil && in.value == nil:
		return bound{}
	case out.value != nil && (in.value == nil || out.order(in, sign) > 0):
		return out
	}
	return in
}

// order compares two bounds. The result is greater than 0 if b allows less than other.
func (b bound) order(other bound, sign int) int {
	if order := b.value.Cmp(other.value) * sign; order != 0 || b.exclusive == other.exclusive {
		return order
	}
	if b.exclusive {
		return 1
	}
	return -1
}

// bound compares two bounds on one side.
func (c *comparer) bound(path string, x, y bound, sign int) {
	switch {
	case x.keyword == "" && y.keyword == "":
	case x.keyword == "":
		c.report(path, narrower, "%s added: %s", y.keyword, y.text)
	case y.keyword == "":
		c.report(path, wider, "%s removed, was %s", x.keyword, x.text)
	case y.order(x, sign) != 0:
		r := wider
		if y.order(x, sign) > 0 {
			r = narrower
		}
		if x.keyword != y.keyword {
			c.report(path, r, "%s %s changed to %s %s", x.keyword, x.text, y.keyword, y.text)
			return
		}
		verb := "raised"
		if y.value.Cmp(x.value) < 0 {
			verb = "lowered"
		}
		c.report(path, r, "%s %s from %s to %s", x.keyword, verb, x.text, y.text)
	}
}

// steps compares multipleOf and uniqueItems. Two steps of which neither is a multiple of the other allow different values, even
// though they share some.
func (c *comparer) steps(path string, a, b *object) {
	texts := a.get("type") == "string" && b.get("type") == "string"
	switch x, y := step(a, texts), step(b, texts); {
	case x == y:
	case x == "":
		c.report(path, narrower, "multipleOf added: %s", y)
	case y == "":
		c.report(path, wider, "multipleOf removed, was %s", x)
	case args.IsMultipleOf(x, y) && args.IsMultipleOf(y, x): // 5 and 5.0
	case args.IsMultipleOf(y, x):
		c.report(path, narrower, "multipleOf changed from %s to %s", x, y)
	case args.IsMultipleOf(x, y):
		c.report(path, wider, "multipleOf changed from %s to %s", x, y)
	default:
		c.report(path, narrower|wider, "multipleOf changed from %s to %s", x, y)
	}
	switch was, is := a.get("uniqueItems") == true, b.get("uniqueItems") == true; {
	case !was && is:
		c.report(path, narrower, "items are unique now")
	case was && !is:
		c.report(path, wider, "items are no longer unique")
	}
}

// step returns the number of which the values of a schema are multiples, or those that its texts spell; "" if there is none.
// By multipleOf JSON Schema says nothing about texts.
func step(s *object, texts bool) string {
	keywords := []string{"multipleOf", "x-go-multipleof"}
	if texts {
		keywords = keywords[1:]
	}
	for _, k := range keywords {
		if n, ok := s.get(k).(json.Number); ok {
			return string(n)
		}
	}
	return ""
}

// beyond reports whether a number is outside of two limits, which may be exclusive.
func beyond(n *big.Float, min, max any, exclusive bool) bool {
	low, high := float(min), float(max)
	is := func(order int) bool { return order > 0 || order == 0 && exclusive }
	return low != nil && is(low.Cmp(n)) || high != nil && is(n.Cmp(high))
}

// positive drops a lower limit of 0, which limits no count.
func positive(f *big.Float) *big.Float {
	if f != nil && f.Sign() <= 0 {
		return nil
	}
	return f
}

// admits reports whether a value of an enum meets the limits of another schema. It assumes that no value meets a
// format or the conditions of a Go type.
func (w *work) admits(s *object, v any) bool {
	if s.get("format") != nil || s.get("x-go-type") != nil {
		return false
	}
	var size *big.Float
	lower, upper := []string{"minLength"}, []string{"maxLength"}
	switch v := v.(type) {
	case json.Number:
		size = float(v)
		lower, upper = []string{"minimum", "exclusiveMinimum"}, []string{"maximum", "exclusiveMaximum"}
		if step := step(s, false); step != "" && !args.IsMultipleOf(string(v), step) {
			return false
		}
	case string:
		size = big.NewFloat(float64(utf8.RuneCountInString(v)))
		if p, ok := s.get("pattern").(string); ok {
			if w.match(p, v) != yes {
				return false
			}
		}
		if n := float(json.Number(v)); n != nil && (beyond(n, s.get("x-go-min"), s.get("x-go-max"), false) || beyond(n, s.get("x-go-above"), s.get("x-go-below"), true)) {
			return false
		}
		if step := step(s, true); step != "" && !args.IsMultipleOf(v, step) {
			return false
		}
	default:
		return true
	}
	out := func(sign int) func(keyword string) bool {
		return func(keyword string) bool {
			limit := float(s.get(keyword))
			if limit == nil || size == nil {
				return false
			}
			order := size.Cmp(limit) * sign
			return order > 0 || order == 0 && strings.HasPrefix(keyword, "exclusive")
		}
	}
	return !slices.ContainsFunc(lower, out(-1)) && !slices.ContainsFunc(upper, out(1))
}
