package args

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The functions here check the value that was read last, unless there is a problem with it already.

// In checks that v is in list, and returns it, or a zero value if it is not.
func In[T int64 | uint64 | float64 | string](d *Decoder, v T, list ...T) T {
	var zero T
	if !d.good {
		return zero
	}
	if i := slices.Index(list, v); i >= 0 {
		return list[i] // a string that does not keep the arguments in memory
	}
	if d.lost() {
		return zero
	}
	d.want(oneOf(list))
	return zero
}

// maxListed is how many of the allowed values a problem lists.
const maxListed = 20

// oneOf returns the values for a message.
func oneOf[T int64 | uint64 | float64 | string](list []T) string {
	var b strings.Builder
	if len(list) > 1 {
		b.WriteString("one of ")
	}
	for i, v := range list {
		if i == maxListed {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		switch v := any(v).(type) {
		case int64:
			b.WriteString(strconv.FormatInt(v, 10))
		case uint64:
			b.WriteString(strconv.FormatUint(v, 10))
		case float64:
			b.WriteString(formatFloat(v))
		case string:
			b.WriteString(quote(v))
		}
	}
	return b.String()
}

func quote(s string) string { return strconv.QuoteToGraphic(cut(s, maxExcerpt)) }

// Length checks how many characters (Unicode code points) a string has.
func (d *Decoder) Length(s string, min, max int) {
	d.Count(utf8.RuneCountInString(s), min, max, "character")
}

// Count checks how many items or members there are. Unit is their name in the singular.
func (d *Decoder) Count(n, min, max int, unit string) {
	if what := miscount(n, min, max, unit); d.good && what != "" {
		d.good = false
		d.problem(d.start, "", what)
	}
}

// Format checks that a string has a format, such as [IsEmail], or matches a regular expression. What is what the
// message says is wanted.
func (d *Decoder) Format(s, what string, is func(string) bool) {
	if d.good && !is(s) {
		d.want(what)
	}
}

// Check records a problem with the value that was read last, unless ok is true. What is what the message says is
// wanted.
func (d *Decoder) Check(ok bool, what string) {
	if d.good && !ok {
		d.want(what)
	}
}

// NumberAbove reports whether a number given as text is greater than a bound.
func NumberAbove(text string, bound float64) bool {
	f, _ := strconv.ParseFloat(text, 64) // what is out of range is infinite
	return f > bound
}

// NumberBelow reports whether a number given as text is less than a bound.
func NumberBelow(text string, bound float64) bool {
	f, _ := strconv.ParseFloat(text, 64)
	return f < bound
}

// maxCompared is how many items are compared with each other before a set of them costs less.
const maxCompared = 16

// Unique checks that no two items of the list that was read last are equal.
func Unique[T comparable](d *Decoder, list []T) {
	if !d.good {
		return
	}
	first, second, found := equal(list)
	if !found || list[first] == *new(T) && d.inside() {
		return
	}
	d.good = false
	d.problem(d.start, "", distinct(first, second))
}

// inside reports whether there is a problem with an item of the list that was read last. Such items are zero.
func (d *Decoder) inside() bool {
	return slices.ContainsFunc(d.problems, func(p problem) bool { return d.start < p.offset && p.offset < d.end })
}

// equal returns the places of two items that are equal.
func equal[T comparable](list []T) (first, second int, found bool) {
	if len(list) <= maxCompared {
		for i, v := range list {
			if first := slices.Index(list[:i], v); first >= 0 {
				return first, i, true
			}
		}
		return 0, 0, false
	}
	seen := make(map[T]int, len(list))
	for i, v := range list {
		if first, ok := seen[v]; ok {
			return first, i, true
		}
		seen[v] = i
	}
	return 0, 0, false
}

func distinct(first, second int) string {
	return "want distinct items, got the same at [" + strconv.Itoa(first) + "] and [" + strconv.Itoa(second) + "]"
}
