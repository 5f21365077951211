package transcript

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Difference is a difference between two servers that is meant.
type Difference struct {
	// Step is the name of a step; * in it is any text.
	Step string
	// Path is where in the answer: result, error or messages, then members and indices, with dots between them. Lists
	// of tools, prompts and resources have names in place of indices. In it, * is any text without dots, and ** any number
	// of members.
	Path string
	// Original and Port are the values on both sides, as JSON; "-" is none. If they begin with ~, the JSON matches the
	// regular expression that follows. Without them, there may be any.
	Original, Port string
	// Revision is the only one at which they differ; without it, they do at all.
	Revision string
	// Why says why.
	Why string
}

// covers reports whether the difference is about what was found.
func (d Difference) covers(step string, f found) bool {
	return matches(d.Step, ".*", step) && matches(d.Path, "[^.]*", strings.Join(f.path, ".")) &&
		isValue(d.Original, f.original) && isValue(d.Port, f.port)
}

// matches reports whether a text is of a pattern, whose * stands for a regular expression.
func matches(pattern, star, text string) bool {
	pattern = regexp.QuoteMeta(pattern)
	pattern = strings.NewReplacer(`\*\*\.`, `(?:.*\.)?`, `\*\*`, `.*`, `\*`, star).Replace(pattern)
	return regexp.MustCompile("^(?:" + pattern + ")$").MatchString(text)
}

// isValue reports whether JSON is what a difference wants.
func isValue(want, got string) bool {
	if pattern, ok := strings.CutPrefix(want, "~"); ok {
		return regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString(got)
	}
	return want == "" || want == got
}

// A found difference has both values as JSON, with "-" for none.
type found struct {
	path           []string
	original, port string
}

// none is a value that is not there.
type none struct{}

// diff returns where two JSON values differ.
func diff(original, port any, at ...string) []found {
	original, port = parsed(original), parsed(port)
	switch a := original.(type) {
	case map[string]any:
		b, ok := port.(map[string]any)
		if !ok {
			break
		}
		var all []found
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			all = append(all, diff(member(a, key), member(b, key), append(slices.Clone(at), key)...)...)
		}
		return all
	case []any:
		b, ok := port.([]any)
		if !ok || len(a) != len(b) {
			break
		}
		var all []found
		for i := range a {
			all = append(all, diff(a[i], b[i], append(slices.Clone(at), strconv.Itoa(i))...)...)
		}
		return all
	}
	if f := (found{at, text(original), text(port)}); f.original != f.port {
		return []found{f}
	}
	return nil
}

// member returns a member of an object.
func member(object map[string]any, key string) any {
	if v, ok := object[key]; ok {
		return v
	}
	return none{}
}

// parsed returns the value of a text that is a JSON object or array: blanks and the order of members mean nothing.
func parsed(v any) any {
	s, ok := v.(string)
	if !ok || !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return v
	}
	var in any
	if json.Unmarshal([]byte(s), &in) != nil {
		return v
	}
	return in
}

// text returns a value as JSON.
func text(v any) string {
	if v == (none{}) {
		return "-"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(err)
	}
	return strings.TrimSpace(b.String())
}
