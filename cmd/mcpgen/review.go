package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/codecs"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/goapi"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/report"
)

// staleLines returns a line for each file, which says what is wrong with it.
func staleLines(changes []output.Change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s is %s\n", filepath.ToSlash(c.Path), state(c))
	}
	return b.String()
}

// reviewBindings shows what regenerating a package of bindings would change: files, Go declarations, and what
// its codecs say of the wire.
func reviewBindings(w io.Writer, changes []output.Change, files map[string][]byte) {
	io.WriteString(w, output.Diff(changes, diffLines))
	before := maps.Clone(files)
	for _, c := range changes {
		set(before, c.Path, c.Old)
	}
	w, style := coloured(w)
	report.Sections(w, style, []report.Section{reviewGo(before, files), reviewWire(before, files)})
}

// set sets the contents of a file, or removes the file if there are none.
func set(files map[string][]byte, path string, content []byte) {
	if content == nil {
		delete(files, filepath.Base(path))
	} else {
		files[filepath.Base(path)] = content
	}
}

// readVersions reads the code before and after a change, or says why it cannot be read.
func readVersions[T any](before, after map[string][]byte, read func(map[string][]byte) (T, error)) (older, newer T, problem string) {
	older, err := read(before)
	if err != nil {
		return older, newer, "The code that is there cannot be read: " + err.Error()
	}
	if newer, err = read(after); err != nil {
		problem = "The new code cannot be read: " + err.Error()
	}
	return older, newer, problem
}

// reviewGo lists the exported declarations that differ.
func reviewGo(before, after map[string][]byte) report.Section {
	section := report.Section{Title: "Exported Go declarations"}
	older, newer, problem := readVersions(before, after, goapi.Read)
	if problem != "" {
		section.Note = problem
		return section
	}
	changes, incompatible := goapi.Compare(older, newer), 0
	for _, ch := range changes {
		name, c := goChange(ch)
		if ch.Breaks != "" {
			incompatible++
			c.Text += " (incompatible)"
		}
		section.Add("", name, c)
	}
	section.Note = fmt.Sprintf("%d changed, %d of them incompatible.", len(changes), incompatible)
	return section
}

// reviewWire lists what is read or written differently.
func reviewWire(before, after map[string][]byte) report.Section {
	section := report.Section{Title: "On the wire"}
	older, newer, problem := readVersions(before, after, codecs.Read)
	if problem != "" {
		section.Note = problem
		return section
	}
	changes := codecs.Compare(older, newer)
	for _, ch := range changes {
		section.Add(ch.What, ch.Name, wireChange(ch))
	}
	section.Note = fmt.Sprintf("%d changed.", len(changes))
	return section
}

func wireChange(ch codecs.Change) report.Change {
	text := ch.Kind
	if ch.Part != "" {
		text = ch.Part + ": " + report.Arrow(ch.Old, ch.New)
	}
	return report.Change{Kind: ch.Kind, Text: strings.TrimSuffix(text, "; "), Whole: ch.Part == ""}
}

// reviewTools shows what regenerating the tools of a package, and accepting a broken contract, would change: files
// and Go declarations. Changes on the wire are changes of the contract, which are listed in any case.
func reviewTools(w io.Writer, dir string, changes, accepted []output.Change) error {
	io.WriteString(w, edits(slices.Concat(changes, accepted)))
	if len(changes) == 0 {
		return nil
	}
	before := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && filepath.Ext(e.Name()) == ".go" {
			if before[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	after := maps.Clone(before)
	for _, c := range changes {
		set(after, c.Path, c.New)
	}
	w, style := coloured(w)
	report.Sections(w, style, []report.Section{reviewGo(before, after)})
	return nil
}

// goChange returns the type that the change of a declaration belongs to, and the change in the form in which it is
// shown there.
func goChange(ch goapi.Change) (of string, c report.Change) {
	of, part, _ := strings.Cut(ch.Name, ".")
	text := report.Arrow(ch.Old, ch.New)
	if part != "" {
		text = part + ": " + text
	}
	return of, report.Change{Kind: ch.Kind, Text: text, Whole: part == "", Breaks: goBreaks(ch)}
}

// goBreaks returns why a change breaks Go callers, if that is not evident from the change.
func goBreaks(ch goapi.Change) string {
	if ch.Breaks == "" || ch.Kind == "removed" || ch.Breaks == goapi.Retyped {
		return ""
	}
	return "Go callers: " + ch.Breaks
}
