package main

import (
	"bytes"
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

// staleLines says of each file what is wrong with it, on a line of its own.
func staleLines(changes []output.Change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s is %s\n", filepath.ToSlash(c.Path), state(c))
	}
	return b.String()
}

// reviewBindings shows what regenerating a package of bindings would change: files, Go declarations, and what
// its codecs say of the wire.
func reviewBindings(w io.Writer, changes []output.Change, files map[string][]byte) error {
	if _, err := io.WriteString(w, output.Diff(changes, diffLines)); err != nil {
		return err
	}
	before := undone(files, changes)
	report.Sections(w, styleOf(w), []report.Section{reviewGo(before, files), reviewWire(before, files)})
	return nil
}

// undone returns the files as they were before the changes.
func undone(files map[string][]byte, changes []output.Change) map[string][]byte {
	before := maps.Clone(files)
	for _, c := range changes {
		if c.Old == nil {
			delete(before, filepath.Base(c.Path))
		} else {
			before[filepath.Base(c.Path)] = c.Old
		}
	}
	return before
}

// reviewGo lists the exported declarations that differ.
func reviewGo(before, after map[string][]byte) report.Section {
	section := report.Section{Title: "Exported Go declarations"}
	older, err := goapi.Read(before)
	if err != nil {
		section.Note = "The code that is there cannot be read: " + err.Error()
		return section
	}
	newer, err := goapi.Read(after)
	if err != nil {
		section.Note = "The new code cannot be read: " + err.Error()
		return section
	}
	changes := goapi.Compare(older, newer)
	section.Subjects = goSubjects(changes)
	incompatible := 0
	for _, ch := range changes {
		if ch.Breaks != "" {
			incompatible++
		}
	}
	section.Note = fmt.Sprintf("%d changed, %d of them incompatible.", len(changes), incompatible)
	for i, n := 0, 0; i < len(section.Subjects); i++ {
		for j := range section.Subjects[i].Changes {
			c := &section.Subjects[i].Changes[j]
			if changes[n].Breaks != "" {
				c.Text += " (incompatible)"
			}
			n++
		}
	}
	return section
}

// reviewWire lists what is read or written differently.
func reviewWire(before, after map[string][]byte) report.Section {
	section := report.Section{Title: "On the wire"}
	older, err := codecs.Read(before)
	if err != nil {
		section.Note = "The code that is there cannot be read: " + err.Error()
		return section
	}
	newer, err := codecs.Read(after)
	if err != nil {
		section.Note = "The new code cannot be read: " + err.Error()
		return section
	}
	changes := codecs.Compare(older, newer)
	section.Note = fmt.Sprintf("%d changed.", len(changes))
	for _, ch := range changes {
		n := len(section.Subjects)
		if n == 0 || section.Subjects[n-1].What != ch.What || section.Subjects[n-1].Name != ch.Name {
			section.Subjects = append(section.Subjects, report.Subject{What: ch.What, Name: ch.Name})
			n++
		}
		section.Subjects[n-1].Changes = append(section.Subjects[n-1].Changes, wireChange(ch))
	}
	return section
}

func wireChange(ch codecs.Change) report.Change {
	text := ch.Kind
	if ch.Part != "" {
		text = ch.Part + ": " + ch.Old + ch.New
		if ch.Old != "" && ch.New != "" {
			text = ch.Part + ": " + ch.Old + " → " + ch.New
		}
	}
	return report.Change{Kind: ch.Kind, Text: strings.TrimSuffix(text, "; "), Whole: ch.Part == ""}
}

// reviewTools shows what regenerating the tools of a package would change, and accepting a broken contract:
// files, and Go declarations. What changes on the wire is the contract, which is listed in any case.
func reviewTools(w io.Writer, dir string, changes, accepted []output.Change) error {
	if _, err := io.WriteString(w, edits(slices.Concat(changes, accepted))); err != nil || len(changes) == 0 {
		return err
	}
	after := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && filepath.Ext(e.Name()) == ".go" {
			if after[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	for _, c := range changes {
		delete(after, filepath.Base(c.Path))
		if c.New != nil {
			after[filepath.Base(c.Path)] = bytes.Clone(c.New)
		}
	}
	report.Sections(w, styleOf(w), []report.Section{reviewGo(undone(after, changes), after)})
	return nil
}

// goSubjects groups changes of declarations by the type they belong to.
func goSubjects(changes []goapi.Change) (list []report.Subject) {
	for _, ch := range changes {
		name, part, _ := strings.Cut(ch.Name, ".")
		if n := len(list); n == 0 || list[n-1].Name != name {
			list = append(list, report.Subject{Name: name})
		}
		text := ch.Old + ch.New
		if ch.Old != "" && ch.New != "" {
			text = ch.Old + " → " + ch.New
		}
		if part != "" {
			text = part + ": " + text
		}
		last := &list[len(list)-1]
		last.Changes = append(last.Changes, report.Change{Kind: ch.Kind, Text: text, Whole: part == "", Breaks: goBreaks(ch)})
	}
	return list
}

// goBreaks says why a change breaks Go callers, where the change does not say it.
func goBreaks(ch goapi.Change) string {
	if ch.Breaks == "" || ch.Kind == "removed" || ch.Breaks == goapi.Retyped {
		return ""
	}
	return "Go callers: " + ch.Breaks
}
