package main

import (
	"fmt"
	"strings"
)

// A list is a text of entries.
type list struct{ strings.Builder }

// add adds an entry: names and their values, by turns.
func (l *list) add(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(l, "- %s: %v\n", pairs[i], pairs[i+1])
	}
	l.WriteString("---\n")
}

// text returns the list below a heading. An empty one is an error, which has advice.
func (l *list) text(heading, advice string) (string, error) {
	if l.Len() == 0 {
		return "", fmt.Errorf("found nothing: %s", advice)
	}
	return heading + "\n\n" + l.String(), nil
}

// advised adds advice to an error.
func advised(err error, advice string) error {
	if err != nil {
		return fmt.Errorf("%w: %s", err, advice)
	}
	return nil
}

// empty is what a model reads about a required text that is empty: the original refuses it, and its schemas do not say so.
func empty(argument string) error {
	return fmt.Errorf("%s: want at least 1 character, got 0", argument)
}
