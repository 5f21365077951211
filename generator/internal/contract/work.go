package contract

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// What an answer may cost, in steps: so many, and so many for each part of the schemas. Schemas that are made of Go
// types are nowhere near. Without steps left, the answer is the one on the safe side.
const (
	baseSteps = 1 << 14
	partSteps = 1 << 6
)

// A work counts the steps of answers about two schemas, and keeps what they need again.
type work struct {
	left     int
	patterns map[string]*regexp.Regexp // nil if it is none
	sets     map[*any]map[string]bool  // of the values of lists, by their first elements
}

func newWork(schemas ...*object) *work {
	w := &work{left: baseSteps, patterns: map[string]*regexp.Regexp{}, sets: map[*any]map[string]bool{}}
	for _, s := range schemas {
		w.left += partSteps * parts(s)
	}
	return w
}

// parts returns how many values there are in a value, itself included.
func parts(v any) int {
	n := 1
	switch v := v.(type) {
	case *object:
		for _, name := range members(v) {
			n += parts(v.values[name])
		}
	case []any:
		for _, item := range v {
			n += parts(item)
		}
	}
	return n
}

// spend takes steps, and reports whether there were enough.
func (w *work) spend(steps int) bool {
	w.left -= steps
	return w.left >= 0
}

// match says whether a text matches a pattern.
func (w *work) match(pattern, s string) verdict {
	re, known := w.patterns[pattern]
	if !known {
		re, _ = regexp.Compile(pattern)
		w.patterns[pattern] = re
	}
	if re == nil || !w.spend(1+len(pattern)*(len(s)+1)/16) {
		return perhaps
	}
	return truth(re.MatchString(s))
}

// has reports whether a value is in a list.
func (w *work) has(list []any, v any) bool {
	if len(list) == 0 {
		return false
	}
	set := w.sets[&list[0]]
	if set == nil {
		set = make(map[string]bool, len(list))
		for _, item := range list {
			set[canonical(item)] = true
		}
		w.sets[&list[0]] = set
	}
	return set[canonical(v)]
}

// canonical returns a text that equal values share, and no others.
func canonical(v any) string {
	switch v := v.(type) {
	case json.Number:
		if r := rational(v); r != nil {
			return r.RatString()
		}
		return string(v)
	case string:
		return `"` + v + `"`
	case []any:
		var b strings.Builder
		for _, item := range v {
			b.WriteString(text(canonical(item)) + ",")
		}
		return "[" + b.String()
	case *object:
		var b strings.Builder
		for _, name := range slices.Sorted(slices.Values(v.names)) {
			b.WriteString(text(name) + ":" + text(canonical(v.values[name])) + ",")
		}
		return "{" + b.String()
	}
	return text(v)
}
