package args

import (
	"cmp"
	"errors"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The functions here check that a result is what the output schema of its tool promises. If it is not, encoding
// fails, because clients would reject the result.

// WantOneOf checks that v, which is written next, is in list.
func WantOneOf[T int64 | uint64 | float64 | string](e *wire.Encoder, v T, list ...T) {
	if !slices.Contains(list, v) {
		e.Fail("want " + oneOf(list) + ", got " + oneOf([]T{v}))
	}
}

// WantName checks that v, which is written next, has a name in list.
func WantName[T int64 | uint64](e *wire.Encoder, v T, list []Name[T]) {
	if !slices.ContainsFunc(list, func(n Name[T]) bool { return n.Value == v }) {
		e.Fail("want " + anyOf(list) + ", got " + oneOf([]T{v}))
	}
}

// WantBetween checks that v, which is written next, is within bounds.
func WantBetween[T int64 | uint64 | float64](e *wire.Encoder, v, min, max T) {
	switch {
	case cmp.Less(v, min):
		e.Fail("want at least " + oneOf([]T{min}) + ", got " + oneOf([]T{v}))
	case cmp.Less(max, v):
		e.Fail("want at most " + oneOf([]T{max}) + ", got " + oneOf([]T{v}))
	}
}

// WantFloat32 is [WantBetween] for a float32, which is written as its shortest decimal.
func WantFloat32(e *wire.Encoder, v float32, min, max float64) {
	f, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	if err == nil { // which is always so
		WantBetween(e, f, min, max)
	}
}

// WantNumber checks that a number given as text, which is written next, is within bounds.
func WantNumber(e *wire.Encoder, text string, min, max float64) {
	f, err := strconv.ParseFloat(cmp.Or(text, "0"), 64)
	if err == nil || errors.Is(err, strconv.ErrRange) { // then f is infinite; other errors are for PutNumber
		WantBetween(e, f, min, max)
	}
}

// WantDuration checks that t, which is written next, is within bounds.
func WantDuration(e *wire.Encoder, t, min, max time.Duration) {
	if what := outOfTime(t, min, max); what != "" {
		e.Fail("want " + what + ", got " + t.String())
	}
}

// WantBig checks that n, which is written next, is within bounds. These are decimal numbers, or empty for none.
func WantBig(e *wire.Encoder, n *big.Int, min, max string) {
	if what := outside(n, min, max); what != "" {
		e.Fail("want " + what + ", got " + cut(n.String(), maxExcerpt))
	}
}

// outside returns what n should be, or the empty string if it is within its bounds.
func outside(n *big.Int, min, max string) string {
	if bound, ok := new(big.Int).SetString(min, 10); ok && n.Cmp(bound) < 0 {
		return "an integer of at least " + min
	}
	if bound, ok := new(big.Int).SetString(max, 10); ok && n.Cmp(bound) > 0 {
		return "an integer of at most " + max
	}
	return ""
}

// WantURL checks that u, which is written next, has a scheme.
func WantURL(e *wire.Encoder, u *url.URL) {
	if !u.IsAbs() {
		e.Fail("want a URL with a scheme, got " + quote(u.String()))
	}
}

// WantLength checks how many characters s has, which is written next.
func WantLength(e *wire.Encoder, s string, min, max int) {
	WantCount(e, utf8.RuneCountInString(s), min, max, "character")
}

// WantCount checks how many items or members are written next. Unit is their name in the singular.
func WantCount(e *wire.Encoder, n, min, max int, unit string) {
	if what := miscount(n, min, max, unit); what != "" {
		e.Fail(what)
	}
}

// miscount returns what is wrong with a number of items or members, or the empty string if nothing is.
func miscount(n, min, max int, unit string) string {
	if n >= min && n <= max {
		return ""
	}
	limit, what := min, "want at least "
	if n > max {
		limit, what = max, "want at most "
	}
	if min == max {
		what = "want "
	}
	if limit != 1 {
		unit += "s"
	}
	return what + strconv.Itoa(limit) + " " + unit + ", got " + strconv.Itoa(n)
}

// WantFormat checks that s, which is written next, has a format. See [Decoder.Format].
func WantFormat(e *wire.Encoder, s, what string, is func(string) bool) {
	if !is(s) {
		e.Fail("want " + what + ", got " + quote(s))
	}
}

// WantThat makes encoding fail unless ok is true of v, which is written next. What is what the message says is
// wanted.
func WantThat[T float32 | float64 | string | time.Duration](e *wire.Encoder, v T, ok bool, what string) {
	if ok {
		return
	}
	got := ""
	switch v := any(v).(type) {
	case float32:
		got = strconv.FormatFloat(float64(v), 'g', -1, 32)
	case float64:
		got = formatFloat(v)
	case string:
		got = cut(v, maxExcerpt)
	case time.Duration:
		got = v.String()
	}
	e.Fail("want " + what + ", got " + got)
}

// WantUnique checks that no two items of a list, which is written next, are equal.
func WantUnique[T comparable](e *wire.Encoder, list []T) {
	if first, second, found := equal(list); found {
		e.Fail(distinct(first, second))
	}
}
