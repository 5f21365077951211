package analyze

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// withoutName returns a doc comment without the name that Go has it begin with, which is not the name that
// a model knows: "Adds an item." for "AddItem adds an item." It does so only where what remains is a
// sentence of the same meaning: the name is followed by a verb, or by "is a" and its like.
func withoutName(doc, name string) string {
	rest, ok := strings.CutPrefix(doc, name+" ")
	if !ok {
		return doc
	}
	first, after, _ := strings.Cut(rest, " ")
	switch article, _, _ := strings.Cut(after, " "); {
	case (first == "is" || first == "are") && slices.Contains([]string{"a", "an", "the"}, article):
		rest = after
	case !isVerb(first):
		return doc
	}
	r, size := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(r)) + rest[size:]
}

// isVerb reports whether a word looks like a verb in the third person: "adds", but not "is", whose subject
// is missed.
func isVerb(word string) bool {
	for _, c := range word {
		if !unicode.IsLower(c) {
			return false
		}
	}
	for _, ending := range []string{"ss", "us", "is"} {
		if strings.HasSuffix(word, ending) {
			return false
		}
	}
	return len(word) > 2 && strings.HasSuffix(word, "s") && !slices.Contains([]string{"has", "its", "was"}, word)
}
