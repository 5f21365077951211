package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

const matrixPage = "../../docs/revision-matrix.md"

// The page of the matrix is what its schemas say now.
func TestMatrixIsUpToDate(t *testing.T) {
	text, err := os.ReadFile(matrixPage)
	if err != nil {
		t.Fatal(err)
	}
	written, err := write("../..", string(text))
	if err != nil {
		t.Fatal(err)
	}
	if written != string(text) {
		t.Errorf("%s is out of date; to write it: go generate .", matrixPage)
	}
}

// A table is one of the page: its cells, by what is in the first column and by the revision.
type table struct {
	of   string // what is in the first column
	rows map[string]map[string]string
}

// readMatrix returns the tables of the page, by their headings.
func readMatrix(t *testing.T) map[string]*table {
	t.Helper()
	text, err := os.ReadFile(matrixPage)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*table{}
	heading := ""
	var head []string
	for line := range strings.Lines(string(text)) {
		if h := strings.TrimLeft(line, "#"); h != line {
			heading, head = strings.TrimSpace(h), nil
			all[heading] = &table{rows: map[string]map[string]string{}}
		}
		row := strings.Split(strings.Trim(line, "|\n "), " | ")
		switch {
		case !strings.HasPrefix(line, "| "):
		case head == nil:
			head = row
			all[heading].of = head[0]
		default:
			_, name, _ := strings.Cut(row[0], "`")
			name, _, _ = strings.Cut(name, "`")
			cells := map[string]string{}
			all[heading].rows[name] = cells
			for i, cell := range row[1:] {
				cells[head[i+1]] = strings.TrimSpace(cell)
			}
		}
	}
	return all
}

// declared is what a schema says, read without the model.
type declared struct {
	decls   map[string]parser.Decl
	methods map[string]string // who sends it, as far as the unions of messages say
}

func readDeclared(t *testing.T, revision string) declared {
	t.Helper()
	src, err := schema.Source(revision)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.Parse(revision, src)
	if err != nil {
		t.Fatal(err)
	}
	d := declared{map[string]parser.Decl{}, map[string]string{}}
	for _, decl := range f.Decls {
		d.decls[decl.DeclName()] = decl
	}
	for name, side := range map[string]string{"ClientRequest": "client", "ClientNotification": "client", "ServerRequest": "server", "ServerNotification": "server"} {
		alias, ok := d.decls[name].(*parser.Alias)
		if !ok {
			continue
		}
		union, ok := alias.Type.(*parser.Union)
		if !ok {
			union = &parser.Union{Arms: []parser.UnionArm{{Type: alias.Type}}}
		}
		for _, arm := range union.Arms {
			method := d.method(arm.Type.(*parser.Ref).Name)
			if other := d.methods[method]; other != "" && other != side {
				d.methods[method] = "both"
			} else {
				d.methods[method] = side
			}
		}
	}
	return d
}

// method returns the method of the type of a message; empty if it is none.
func (d declared) method(name string) string {
	message, ok := d.decls[name].(*parser.Interface)
	if !ok {
		return ""
	}
	for _, m := range message.Members {
		if p, ok := m.(*parser.Property); ok && p.Name == "method" {
			if l, ok := p.Type.(*parser.Literal); ok {
				return fmt.Sprint(l.Value)
			}
		}
	}
	return ""
}

// fields returns the fields of an interface with those that it inherits, and what a cell should say of each; false if it inherits
// from something else than interfaces, or if the name is not that of an interface.
func (d declared) fields(name string) (map[string]string, bool) {
	i, ok := d.decls[name].(*parser.Interface)
	if !ok || len(i.Params) > 0 {
		return nil, false
	}
	all := map[string]string{}
	for _, base := range i.Extends {
		inherited, ok := d.fields(base.Name)
		if !ok || len(base.Args) > 0 {
			return nil, false
		}
		maps.Copy(all, inherited)
	}
	maps.Copy(all, own(i.Members))
	return all, true
}

// own returns what cells should say of the members of an object.
func own(members []parser.Member) map[string]string {
	all := map[string]string{}
	for _, m := range members {
		if p, ok := m.(*parser.Property); ok {
			all[p.Name] = "required"
			if p.Optional {
				all[p.Name] = "optional"
			}
			if isDeprecated(p.Doc) {
				all[p.Name] += ", deprecated"
			}
		}
	}
	return all
}

// params returns what cells should say of params that a message declares without a name; nil if it does not.
func (d declared) params(message string) map[string]string {
	if i, ok := d.decls[message].(*parser.Interface); ok {
		for _, m := range i.Members {
			if p, ok := m.(*parser.Property); ok && p.Name == "params" {
				if o, ok := p.Type.(*parser.Object); ok {
					return own(o.Members)
				}
			}
		}
	}
	return nil
}

// arms returns the types that a union is one of.
func (d declared) arms(name string) (arms []string) {
	if alias, ok := d.decls[name].(*parser.Alias); ok {
		if union, ok := alias.Type.(*parser.Union); ok {
			for _, arm := range union.Arms {
				if ref, ok := arm.Type.(*parser.Ref); ok {
					arms = append(arms, ref.Name)
				}
			}
		}
	}
	return arms
}

func isDeprecated(doc *parser.Doc) bool {
	return doc != nil && slices.ContainsFunc(doc.Tags, func(tag parser.Tag) bool { return tag.Name == "deprecated" })
}

// Each cell says what the declarations of its revision say. A type that a revision declares inside another one, or calls
// otherwise, has no declaration to compare with, except for params.
func TestMatrix(t *testing.T) {
	tables := readMatrix(t)
	compared := map[string]int{}
	for _, r := range schema.Revisions() {
		d := readDeclared(t, r.Name)
		same := func(table, name, want string) {
			compared[table]++
			if got := tables[table].rows[name][r.Name]; got != want {
				t.Errorf("%s, %s: %s is %q, want %q", table, r.Name, name, got, want)
			}
		}
		declared := map[string]bool{} // methods
		for name, decl := range d.decls {
			deprecated := ""
			if isDeprecated(decl.DeclDoc()) {
				deprecated = ", deprecated"
			}
			if method := d.method(name); method != "" {
				declared[method] = true
				sender := d.methods[method]
				if sender == "" {
					sender = "in a result"
				}
				same("Methods", method, sender+deprecated)
				for field, want := range d.params(name) {
					table := name + "Params"
					if tables[table] != nil && tables[table].of == "field" && d.decls[table] == nil {
						compared["params"]++
						same(table, field, want)
					}
				}
			}
			if tables["Types"].rows[name] != nil {
				same("Types", name, "yes"+deprecated)
			}
			if c, ok := decl.(*parser.Const); ok && strings.HasPrefix(fmt.Sprint(c.Value.Value), "-") {
				same("Error codes", name, "yes")
			}
			if tables[name] == nil || tables["Types"].rows[name] == nil {
				continue
			}
			for _, arm := range d.arms(name) {
				if tables[name].rows[arm] != nil {
					compared["arms"]++
					same(name, arm, "yes")
				}
			}
			fields, ok := d.fields(name)
			if !ok || tables[name].of != "field" { // a later revision has a union in its place
				continue
			}
			for field, want := range fields {
				compared["fields"]++
				same(name, field, want)
			}
			for field := range tables[name].rows {
				if fields[field] == "" {
					same(name, field, "–")
				}
			}
		}
		for method := range tables["Methods"].rows {
			if !declared[method] {
				same("Methods", method, "–")
			}
		}
	}
	for what, least := range map[string]int{"Methods": 5 * 34, "Types": 300, "Error codes": 25, "fields": 700, "params": 40, "arms": 40} {
		if compared[what] < least {
			t.Errorf("%d %s were compared, want at least %d", compared[what], what, least)
		}
	}
}
