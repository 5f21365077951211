package lint

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// The rules in this file are about words: what a model, which sees nothing but the definitions, cannot make out.

// checkUndescribed finds what has no description: members of the arguments, however deep, and the constants of enums. What
// is left of an enum by a directive has no constants, and so no descriptions.
func checkUndescribed(c *checker) {
	defs, _ := c.input["$defs"].(map[string]any)
	walk("input", c.input, func(path string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			m, ok := properties[name].(map[string]any)
			if ok && m["const"] == nil && !described(m, defs) { // a discriminator says what it is by its value
				c.add(path+"."+name, "it has no description", Model)
			}
		}
	})
	seen := make(map[*ir.Type]bool)
	for _, p := range c.tool.Input {
		c.enums("input."+p.Name, p.Type, seen)
	}
}

// described reports whether a schema has a description, or refers to one that has.
func described(s, defs map[string]any) bool {
	if text, _ := s["description"].(string); text != "" {
		return true
	}
	ref, _ := s["$ref"].(string)
	def, ok := defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	return ok && def["description"] != nil
}

// enums finds the enums in a type whose values are not described.
func (c *checker) enums(path string, t *ir.Type, seen map[*ir.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	var silent []string
	for _, v := range t.Enum {
		if v.Doc == "" {
			silent = append(silent, v.JSON)
		}
	}
	if len(silent) > 0 {
		c.add(path, "values have no description: "+strings.Join(silent, ", "), Model)
	}
	for _, f := range t.Fields {
		c.enums(path+"."+f.Name, f.Type, seen)
	}
	if t.Elem != nil {
		c.enums(path, t.Elem, seen)
	}
	for _, arm := range t.Arms {
		c.enums(path, arm.Type, seen)
	}
}

// checkAlike compares tools in pairs.
func checkAlike(c *checker) {
	names, texts := make([]string, len(c.tools)), make([]map[string]bool, len(c.tools))
	for i, t := range c.tools {
		words := wordsOf(t.Name)
		slices.Sort(words)
		names[i] = strings.Join(words, " ")
		texts[i] = make(map[string]bool)
		for _, w := range wordsOf(t.Description) {
			texts[i][w] = true
		}
	}
	for i, t := range c.tools {
		for j, u := range c.tools[:i] {
			c.subject = &subject{tool: t}
			switch {
			case t.Excludes(&u.Access): // they are variants
			case names[i] == names[j]:
				c.add("", "its name has the words of "+u.Name, Model)
			case alike(texts[i], texts[j]):
				c.add("", "its description has the words of that of "+u.Name, Model)
			}
		}
	}
}

// alike reports whether at least nine of ten words of two texts are in both.
func alike(a, b map[string]bool) bool {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return both > 0 && 10*both >= 9*(len(a)+len(b)-both)
}

// wordsOf returns the words of a name or a text in lower case: what letters and digits are between other characters, and in
// names like getUser between capitals.
func wordsOf(text string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && len(word) > 0 && !unicode.IsUpper(word[len(word)-1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}
