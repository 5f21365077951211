package source

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// withoutName returns the doc comment of a function, field or constant without its Go name, which a model does not
// know: "Adds an item." for "AddItem adds an item." It removes the name only if the rest keeps its meaning, because
// the name is followed by a verb, or by "is a" and the like.
func withoutName(doc, name string) string {
	rest, ok := strings.CutPrefix(doc, name+" ")
	if !ok {
		return doc
	}
	if looksLikeVerb(rest) && !isPlural(rest, name) {
		return capital(rest)
	}
	return cmp.Or(capital(withoutIs(rest)), doc)
}

// withoutTypeName does the same for a type: "A temperature unit." for "A Unit is a temperature unit." Before other
// verbs the name is kept.
func withoutTypeName(doc, name string) string {
	for _, subject := range []string{"A " + name, "An " + name, "The " + name, name} {
		if rest, ok := strings.CutPrefix(doc, subject+" "); ok {
			return cmp.Or(capital(withoutIs(rest)), doc)
		}
	}
	return doc
}

// withoutIs returns "the name" for "is the name", or "" if "is" cannot be left out.
func withoutIs(rest string) string {
	is, after, _ := strings.Cut(rest, " ")
	if next, _, _ := strings.Cut(after, " "); is != "is" && is != "are" || !slices.Contains(complements, next) {
		return ""
	}
	return after
}

// complements lists the words before which "is" can be left out.
var complements = []string{"a", "an", "the", "one", "something", "somebody", "someone", "how", "what", "when", "where", "whether"}

// looksLikeVerb reports whether a text begins with what may be a verb in the third person: "adds", but not "is",
// which needs its subject.
func looksLikeVerb(rest string) bool {
	word, _, _ := strings.Cut(rest, " ")
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

// isPlural reports whether the word after a name can be a plural, because the name is a verb: "List files in a
// folder." It is not a plural if the name has several words, if it is derived from the name, or before an article.
func isPlural(rest, name string) bool {
	word, after, _ := strings.Cut(rest, " ")
	next, _, _ := strings.Cut(after, " ")
	stem := strings.ToLower(name)
	return !strings.Contains(Snake(name), "_") && !slices.Contains(verbs, word) && !slices.Contains(objects, strings.TrimRight(next, ".,:;")) &&
		!slices.Contains([]string{stem + "s", stem + "es", strings.TrimSuffix(stem, "y") + "ies"}, word)
}

// verbs lists verbs with which comments begin, and which are seldom plurals.
var verbs = strings.Fields(`accepts adds allows always applies asks becomes begins brings cancels chooses compares computes contains
	converts creates decides defines deletes describes determines disables does echoes enables excludes
	explains fetches filters finds gets gives goes greets holds identifies ignores includes indicates keeps
	knows lets makes opens picks predicts prepares produces provides reads receives refuses removes replaces
	represents requires resolves restricts returns says sees sends speaks specifies summarizes takes tells
	translates tries waits writes`)

// objects lists words that begin the object of a verb, and seldom follow a plural: "Greet welcomes somebody."
var objects = strings.Fields(`a all an any anybody anyone anything both each every everybody everyone everything him how it its me
	no nobody nothing some somebody someone something the them what whether who whom whose`)

// capital returns a text with a capital letter first.
func capital(text string) string {
	if text == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}
