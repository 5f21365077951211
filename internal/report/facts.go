package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/model"
)

// A kind is what entries of an action have in common.
type kind struct{ action, says string }

// gapKinds are facts that the prose of the specification has and the schema does not. Each entry is a bug of the schema, as
// documentation of the protocol that a program can read.
var gapKinds = []kind{
	{"absence", "what an absent member means"},
	{"fill", "what a member is for a sender that has nothing to say, where it is required"},
	{"covers", "which capability a method needs, where the names differ"},
	{"answer", "which other type may answer a request"},
	{"sent", "who sends a message that is in no union of messages"},
	{"extend", "members that a type inherits, which an inline type leaves out"},
	{"key", "the key of metadata whose value has a type"},
	{"code", "an error code without a constant"},
	{"nameParam", "which member a header repeats"},
	{"everywhere", "a member that older revisions may have, too"},
	{"ordered", "a map whose order counts"},
	{"fractions", "numbers that need not be whole"},
}

// choiceKinds are decisions about Go, or about several revisions in one type.
var choiceKinds = []kind{
	{"rename", "two names of one thing in two revisions"},
	{"trim", "names without the prefix that a package makes redundant"},
	{"name", "a name for an inline type"},
	{"inline", "a named type that a later revision declares inline"},
	{"retype", "a member that has another type in a later revision"},
	{"split", "an interface that became a union"},
	{"raw", "values whose bytes are kept"},
	{"pointer", "strings of which the empty one is not absent"},
	{"drop", "arms of a union that cannot be told apart"},
	{"map", "objects that are maps"},
	{"flat", "unions of objects that are one object in Go"},
}

// gaps lists what the schemas do not say.
func gaps(string) (string, error) { return entries(gapKinds), nil }

// choices counts the decisions.
func choices(string) (string, error) {
	var b strings.Builder
	b.WriteString("| decision | entries | for example |\n|---|--:|---|\n")
	for _, k := range choiceKinds {
		n, example := 0, ""
		for _, e := range model.Exceptions() {
			if e.Action != k.action {
				continue
			}
			if n++; example == "" {
				example = "`" + e.At + "`: " + e.Reason
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %s |\n", k.says, n, example)
	}
	return b.String(), nil
}

// entries writes a table of the entries of some kinds, of which each entry has a row.
func entries(kinds []kind) string {
	var b strings.Builder
	b.WriteString("| what the schema does not say | where | what holds | revisions | why we think so |\n|---|---|---|---|---|\n")
	for _, k := range kinds {
		for _, e := range model.Exceptions() {
			if e.Action != k.action {
				continue
			}
			at, to := "`"+e.At+"`", "–"
			if e.Extension != "" {
				at += " (" + e.Extension[strings.LastIndexByte(e.Extension, '/')+1:] + ")"
			}
			if e.To != "" {
				to = "`" + e.To + "`"
			}
			revisions := "since " + e.From
			if e.Until != "" {
				revisions = e.From + " until " + e.Until
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", k.says, at, to, revisions, e.Reason)
		}
	}
	return b.String()
}

// ambiguities copies what docs/requirements.md says of contradictions, which are more than a schema can say.
func ambiguities(root string) (string, error) {
	rows, err := rowsOf(filepath.Join(root, "docs", "requirements.md"), "| AMB-")
	return "| ID | problem | what we do |\n|---|---|---|\n" + rows, err
}

// scores copies the outcome of the conformance suite.
func scores(root string) (string, error) {
	name := filepath.Join(root, "conformance", "RESULTS.md")
	rows, err := rowsOf(name, "| server |", "| client |", "| authorization")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	_, list, _ := strings.Cut(string(text), "\n- ")
	list, _, _ = strings.Cut(list, "\n\n")
	return "- " + list + "\n\n| side | revision | scenarios | passed | checks | failing |\n|---|---|---|--:|--:|---|\n" + rows, nil
}

// rowsOf returns the lines of a document that begin in one of these ways.
func rowsOf(name string, begin ...string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		for _, lead := range begin {
			if strings.HasPrefix(line, lead) {
				b.WriteString(line)
			}
		}
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("%s: no line begins with %q", name, begin)
	}
	return b.String(), nil
}
