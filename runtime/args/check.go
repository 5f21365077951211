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

// Count checks a number of things. Unit is their name in the singular.
func (d *Decoder) Count(n, min, max int, unit string) {
	if what := miscount(n, min, max, unit); d.good && what != "" {
		d.good = false
		d.problem(d.start, "", what)
	}
}

// Format checks that a string has a format, such as [IsEmail], or matches a regular expression. What says for the
// message what is wanted.
func (d *Decoder) Format(s, what string, is func(string) bool) {
	if d.good && !is(s) {
		d.want(what)
	}
}
