package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/goapi"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/report"
	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/model/diff"
	"github.com/mcpgen/mcpgen/schema"
)

// A schemaPair is the difference between two schemas.
type schemaPair struct {
	names     [2]string
	wire      []diff.Change
	goPackage string
	goCode    []goapi.Change
	unknown   string // why goCode is not known
	table     *report.Matrix
}

// compareSchemas compares two schemas on the wire, and the Go packages of all revisions through each. If there is no
// such package, that is part of the difference and no error.
func compareSchemas(older, newer string, matrix bool) (*schemaPair, error) {
	p := &schemaPair{names: [2]string{older, newer}, goPackage: "mcp"}
	var models [2]*model.Schema
	for i, name := range p.names {
		in := operandInputs(name)
		var err error
		if models[i], err = in.merged(); err != nil {
			return nil, err
		}
	}
	p.wire = diff.Compare(models[0], models[1])
	var err error
	if p.goCode, err = compareGo(older, newer); err != nil {
		p.unknown = err.Error()
	}
	if matrix {
		p.table = schemaMatrix(p.names, models)
	}
	return p, nil
}

// operandInputs returns the schema that an operand names.
func operandInputs(arg string) inputs {
	if isOwn(arg) {
		return inputs{revisions: []string{arg}}
	}
	return inputs{files: []string{arg}}
}

// isOwn reports whether an operand is a revision, and not a file.
func isOwn(arg string) bool { return !strings.HasSuffix(arg, ".ts") && !strings.Contains(arg, "@") }

// compareGo compares the Go packages of all revisions through each operand. If an operand is a file, it is added to
// the revisions that mcpgen has through the other one, or replaces the revision of its name.
func compareGo(older, newer string) ([]goapi.Change, error) {
	var apis [2]*goapi.API
	for i, of := range [][2]string{{older, newer}, {newer, older}} {
		schemas, err := through(of[0], of[1], i == 1)
		if err != nil {
			return nil, err
		}
		merged, err := model.Merge(schemas...)
		if err != nil {
			return nil, err
		}
		files, err := bindings.Generate(merged, bindings.Options{Package: "mcp", Import: basePath})
		if err != nil {
			return nil, err
		}
		apis[i] = must(goapi.Read(files))
	}
	return goapi.Compare(apis[0], apis[1]), nil
}

// through returns the schemas from which the package of an operand is made.
func through(arg, other string, later bool) ([]*model.Schema, error) {
	if isOwn(arg) {
		return ownThrough(arg)
	}
	in := inputs{files: []string{arg}}
	list, err := in.load()
	if err != nil {
		return nil, err
	}
	var base []*model.Schema
	if isOwn(other) {
		base, err = ownThrough(other)
	} else if later {
		in := inputs{files: []string{other}}
		base, err = in.load()
	}
	if err != nil {
		return nil, err
	}
	for _, s := range base {
		if !slices.Equal(s.Revisions, list[0].Revisions) {
			list = append(list, s)
		}
	}
	return list, nil
}

// ownThrough returns the schemas that mcpgen has, through a revision.
func ownThrough(last string) ([]*model.Schema, error) {
	in := inputs{}
	for _, r := range schema.Revisions() {
		if r.Name <= last {
			in.revisions = append(in.revisions, r.Name)
		}
	}
	return in.load()
}

// report implements compared. The summary counts all changes, including those that the filter leaves out.
func (p *schemaPair) report(only diffFilter) (*report.Report, any, string) {
	shown := slices.DeleteFunc(slices.Clone(p.wire), func(ch diff.Change) bool {
		return only.breaking && ch.Class != diff.Breaking || !only.docs && ch.Class == diff.Documentation
	})
	breaking := slices.DeleteFunc(slices.Clone(p.goCode), func(ch goapi.Change) bool { return ch.Breaks == "" })
	r := &report.Report{Old: p.names[0], New: p.names[1], Summary: p.summary(len(breaking)), Matrix: p.table}
	r.Sections = append(r.Sections, wireSection(shown))
	goSection := report.Section{Title: "What breaks Go callers of " + p.goPackage}
	for _, ch := range breaking {
		name, c := goChange(ch)
		goSection.Add("", name, c)
	}
	if p.unknown != "" {
		goSection.Note = "It is not known what breaks Go callers: the schemas cannot be merged into one package: " + p.unknown
	}
	if goSection.Subjects != nil || goSection.Note != "" {
		r.Sections = append(r.Sections, goSection)
	}
	var sides []string
	for _, side := range []diff.Side{diff.Client, diff.Server} {
		if p.breaks(side) > 0 {
			sides = append(sides, string(side)+"s")
		}
	}
	if len(breaking) > 0 {
		sides = append(sides, "Go callers")
	}
	broken := ""
	if sides != nil {
		broken = listed(sides, "and")
	}
	return r, jsonOf(p.names, shown, breaking, p.unknown), broken
}

// jsonOf returns what is printed as JSON.
func jsonOf[C any](names [2]string, changes []C, goCode []goapi.Change, unknown string) any {
	return struct {
		Old       string         `json:"old"`
		New       string         `json:"new"`
		Changes   []C            `json:"changes"`
		Go        []goapi.Change `json:"breaksGoCallers,omitempty"`
		GoUnknown string         `json:"goUnknown,omitempty"`
	}{names[0], names[1], slices.Concat([]C{}, changes), goCode, unknown}
}

// breaks counts the changes that break a side.
func (p *schemaPair) breaks(side diff.Side) int {
	n := 0
	for _, ch := range p.wire {
		if slices.Contains(ch.Breaks, side) {
			n++
		}
	}
	return n
}

// summary counts changes.
func (p *schemaPair) summary(goCode int) string {
	classes := map[diff.Class]int{}
	for _, ch := range p.wire {
		classes[ch.Class]++
	}
	inGo := fmt.Sprint(goCode)
	if p.unknown != "" {
		inGo = "an unknown number"
	}
	return fmt.Sprintf("Changes: %d. Breaking: %d for clients, %d for servers, %s for Go callers. Additive: %d. Documentation only: %d.",
		len(p.wire)-classes[diff.Documentation], p.breaks(diff.Client), p.breaks(diff.Server), inGo, classes[diff.Additive], classes[diff.Documentation])
}

// wireSection groups changes by what they are about.
func wireSection(changes []diff.Change) (section report.Section) {
	for _, ch := range changes {
		what, name := string(ch.What), ch.Name
		if ch.Of != "" {
			what, name = string(diff.Type), ch.Of
		}
		section.Add(what, name, report.Change{Kind: string(ch.Kind), Text: said(ch), Whole: ch.Of == "", Breaks: broken(ch)})
	}
	return section
}

// said describes what changed, without the name of the subject.
func said(ch diff.Change) string {
	var parts []string
	if ch.Of != "" {
		parts = append(parts, string(ch.What)+" "+ch.Name)
	}
	switch {
	case ch.Kind == diff.Deprecated:
		parts = append(parts, "deprecated: "+firstLine(ch.New))
	case ch.Kind == diff.Documented:
		parts = append(parts, "the documentation differs")
	case ch.What == diff.Member && (ch.Old == "" || ch.New == ""): // the text has its name
		parts[0] = string(ch.What) + " " + ch.Old + ch.New
	case ch.Old+ch.New != "":
		parts = append(parts, report.Arrow(ch.Old, ch.New))
	}
	return strings.Join(parts, ": ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// broken describes whom a change breaks, why, and in which direction the value is sent; it is empty if it breaks
// nobody.
func broken(ch diff.Change) string {
	if ch.Class != diff.Breaking {
		return ""
	}
	var sides []string
	for _, s := range ch.Breaks {
		sides = append(sides, string(s)+"s")
	}
	text := listed(sides, "and") + ": " + ch.Why
	if d := ch.Direction(); d != "" {
		text += " (" + d + ")"
	}
	return text
}
