package contract

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// limits are the keywords that bound numbers, lengths and counts.
var limits = []struct {
	lower, upper string
	counts       bool // something that is never below 0
}{
	{"minimum", "maximum", false},
	{"exclusiveMinimum", "exclusiveMaximum", false},
	{"minLength", "maxLength", true},
	{"minItems", "maxItems", true},
	{"minProperties", "maxProperties", true},
	{"x-go-min", "x-go-max", false},
	{"x-go-minlen", "x-go-maxlen", true},
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

func (c *comparer) bounds(path string, a, b *object) {
	for _, l := range limits {
		for _, k := range []string{l.lower, l.upper} {
			x, y := float(a.get(k)), float(b.get(k))
			if k == l.lower && l.counts {
				x, y = positive(x), positive(y)
			}
			grew, shrank := narrower, wider
			if k == l.upper {
				grew, shrank = wider, narrower
			}
			switch {
			case x == nil && y == nil:
			case x == nil:
				c.report(path, narrower, "%s added: %s", k, plain(b.get(k)))
			case y == nil:
				c.report(path, wider, "%s removed, was %s", k, plain(a.get(k)))
			case x.Cmp(y) < 0:
				c.report(path, grew, "%s raised from %s to %s", k, plain(a.get(k)), plain(b.get(k)))
			case x.Cmp(y) > 0:
				c.report(path, shrank, "%s lowered from %s to %s", k, plain(a.get(k)), plain(b.get(k)))
			}
		}
	}
}

// beyond reports whether a number is less than one limit, or greater than the other.
func beyond(n *big.Float, min, max any) bool {
	low, high := float(min), float(max)
	return low != nil && n.Cmp(low) < 0 || high != nil && n.Cmp(high) > 0
}

// positive drops a lower limit of 0, which limits no count.
func positive(f *big.Float) *big.Float {
	if f != nil && f.Sign() <= 0 {
		return nil
	}
	return f
}

// admits reports whether a value of an enum meets the limits of another schema. A format, and what a
// Go type reads, is taken to be met by no value.
func admits(s *object, v any) bool {
	if s.get("format") != nil || s.get("x-go-type") != nil {
		return false
	}
	var size *big.Float
	lower, upper := []string{"minLength"}, []string{"maxLength"}
	switch v := v.(type) {
	case json.Number:
		size = float(v)
		lower, upper = []string{"minimum", "exclusiveMinimum"}, []string{"maximum", "exclusiveMaximum"}
	case string:
		size = big.NewFloat(float64(utf8.RuneCountInString(v)))
		if p, ok := s.get("pattern").(string); ok {
			re, err := regexp.Compile(p)
			if err != nil || !re.MatchString(v) {
				return false
			}
		}
		if n := float(json.Number(v)); n != nil && beyond(n, s.get("x-go-min"), s.get("x-go-max")) {
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
