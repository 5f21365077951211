package schema_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

func TestRevisionsAreTheFolders(t *testing.T) {
	paths, err := filepath.Glob("*/" + schema.FileName) // sorted, and the names are dates
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, p := range paths {
		want = append(want, filepath.Dir(p))
	}
	var got []string
	for _, r := range schema.Revisions() {
		got = append(got, r.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Revisions() = %q, folders are %q", got, want)
	}
}

func TestOfficialDigests(t *testing.T) {
	seen := map[string]string{}
	check := func(name, official string) {
		if b, err := hex.DecodeString(official); err != nil || len(b) != 32 || official != strings.ToLower(official) {
			t.Errorf("%s: %q is no SHA-256 in lower-case hexadecimal", name, official)
		}
		if other, ok := seen[official]; ok {
			t.Errorf("%s and %s have the same digest", other, name)
		}
		seen[official] = name
	}
	for _, r := range schema.Revisions() {
		check(r.Name, r.Official)
	}
	for _, x := range schema.Extensions() {
		check(x.Name, x.Official)
	}
}

func TestExtensionsAreTheFolders(t *testing.T) {
	want, err := filepath.Glob("ext/*/" + schema.FileName) // sorted
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range schema.Extensions() {
		got = append(got, filepath.FromSlash(x.Path()))
		if again, err := schema.ExtensionNamed(x.Name); err != nil || again != x {
			t.Errorf("ExtensionNamed(%q) = %v, %v", x.Name, again, err)
		}
		if _, err := schema.Source(x.Revision); err != nil {
			t.Errorf("%s: %v", x.Name, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("Extensions() are at %q, files are %q", got, want)
	}
	_, err = schema.ExtensionNamed("task")
	if want := `schema: no extension "task"; known are tasks, ui`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// What an extension imports is of the revision that it names.
func TestExtensionsImport(t *testing.T) {
	for _, x := range schema.Extensions() {
		for _, i := range parseFile(t, x.Path()).Imports {
			if want := "../../" + x.Revision + "/schema.js"; i.From != want {
				t.Errorf("%s imports from %q, want %q", x.Name, i.From, want)
			}
		}
	}
}

func TestRevisionsIsACopy(t *testing.T) {
	schema.Revisions()[0].Name = "changed"
	if got, want := schema.Revisions()[0].Name, "2024-11-05"; got != want {
		t.Errorf("Revisions()[0].Name = %q after a caller changed its slice, want %q", got, want)
	}
}

func TestSource(t *testing.T) {
	for _, r := range schema.Revisions() {
		got, err := schema.Source(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(r.Name, schema.FileName))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("Source(%q) is not the file of that folder", r.Name)
		}
	}
}

func TestSourceOfUnknownRevision(t *testing.T) {
	var names []string
	for _, r := range schema.Revisions() {
		names = append(names, r.Name)
	}
	known := "known are " + strings.Join(names, ", ")
	for _, name := range []string{"", "2025-11-24", "2025-11-25/", "../schema/2025-11-25"} {
		_, err := schema.Source(name)
		want := `schema: no revision "` + name + `"; ` + known
		if err == nil || err.Error() != want {
			t.Errorf("Source(%q): error %v, want %s", name, err, want)
		}
	}
}

// Each schema is laid out as mcpgen schema adopt prints it, under its header.
func TestLayout(t *testing.T) {
	check := func(path, header string) {
		src, err := schema.Files().ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(header+parser.Print(parseFile(t, path)), string(src)); diff != "" {
			t.Errorf("%s is not as parser.Print lays it out, -want +got:\n%s", path, diff)
		}
	}
	for _, r := range schema.Revisions() {
		check(r.Name+"/"+schema.FileName, schema.Header(r.Name))
	}
	for _, x := range schema.Extensions() {
		check(x.Path(), x.Header())
	}
}

// A schema that was adopted has marks where it needs words. This test alone fails until it has them.
func TestWords(t *testing.T) {
	check := func(path string) {
		for _, m := range parser.Marked(parseFile(t, path)) {
			t.Errorf("schema/%s:%d: %s needs words %s", path, m.Pos.Line, m.Path, m.Text)
		}
	}
	for _, r := range schema.Revisions() {
		check(r.Name + "/" + schema.FileName)
	}
	for _, x := range schema.Extensions() {
		check(x.Path())
	}
}

var update = flag.Bool("update", false, "rewrite testdata/declarations.golden")

// The numbers are those of the official schemas.
func TestDeclarations(t *testing.T) {
	type counts struct{ interfaces, aliases, constants int }
	var all strings.Builder
	for _, r := range schema.Revisions() {
		var got counts
		var latest any
		for _, d := range parse(t, r.Name).Decls {
			switch d := d.(type) {
			case *parser.Interface:
				got.interfaces++
			case *parser.Alias:
				got.aliases++
			case *parser.Const:
				got.constants++
				if d.Name == "LATEST_PROTOCOL_VERSION" {
					latest = d.Value.Value
				}
			default:
				t.Errorf("%s: %s is a %T", r.Name, d.DeclName(), d)
			}
		}
		fmt.Fprintf(&all, "%s: %d interfaces, %d aliases, %d constants\n", r.Name, got.interfaces, got.aliases, got.constants)
		if latest != r.Name {
			t.Errorf("%s: LATEST_PROTOCOL_VERSION is %v", r.Name, latest)
		}
	}
	const golden = "testdata/declarations.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), all.String()); diff != "" {
		t.Errorf("-want +got (run with -update to accept):\n%s", diff)
	}
}

// Generated Go code takes its doc comments from here, so that nothing may be without one.
func TestDocs(t *testing.T) {
	for name := range firstLines() {
		t.Run(name, func(t *testing.T) {
			f := parseFile(t, name)
			c := docChecker{t: t, declared: map[string]bool{}}
			for _, d := range f.Decls {
				c.declared[d.DeclName()] = true
			}
			for _, i := range f.Imports {
				for _, n := range i.Names {
					c.declared[n.Alias] = true
				}
			}
			for _, d := range f.Decls {
				c.decl(d)
			}
		})
	}
}

// firstLines are those of all schemas, by the files' paths.
func firstLines() map[string]string {
	lines := map[string]string{}
	for _, r := range schema.Revisions() {
		lines[r.Name+"/"+schema.FileName] = "// Model Context Protocol, revision " + r.Name + "."
	}
	for _, x := range schema.Extensions() {
		lines[x.Path()] = "// The " + x.Name + " extension of the Model Context Protocol, " + x.ID + "."
	}
	return lines
}

func TestLines(t *testing.T) {
	for name, first := range firstLines() {
		src, err := schema.Files().ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(src, []byte(first+"\n")) {
			t.Errorf("%s: the first line is not %q", name, first)
		}
		if !bytes.HasSuffix(src, []byte("\n")) || bytes.HasSuffix(src, []byte("\n\n")) {
			t.Errorf("%s: want one line break at the end", name)
		}
		n := 0
		for line := range bytes.Lines(src) {
			n++
			line = bytes.TrimSuffix(line, []byte("\n"))
			if utf8.RuneCount(line) > 100 {
				t.Errorf("%s:%d: more than 100 columns", name, n)
			}
			if len(bytes.TrimRight(line, " \t\r")) < len(line) {
				t.Errorf("%s:%d: blanks at the end of the line", name, n)
			}
		}
	}
}

func parse(t *testing.T, revision string) *parser.File {
	t.Helper()
	return parseFile(t, revision+"/"+schema.FileName)
}

func parseFile(t *testing.T, name string) *parser.File {
	t.Helper()
	src, err := schema.Files().ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.Parse(name, src)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A docChecker walks a schema and reports what has no doc comment or a bad one.
type docChecker struct {
	t        *testing.T
	declared map[string]bool
}

func (c *docChecker) decl(d parser.Decl) {
	c.doc(d.DeclName(), d.DeclPos(), d.DeclDoc())
	switch d := d.(type) {
	case *parser.Interface:
		c.members(d.Name, d.Members)
	case *parser.Alias:
		c.typ(d.Name, d.Type)
	}
}

func (c *docChecker) members(path string, members []parser.Member) {
	for _, m := range members {
		switch m := m.(type) {
		case *parser.Property:
			c.doc(path+"."+m.Name, m.Pos, m.Doc)
			c.typ(path+"."+m.Name, m.Type)
		case *parser.Index:
			c.doc(path+"[]", m.Pos, m.Doc)
			c.typ(path+"[]", m.Value)
		}
	}
}

func (c *docChecker) typ(path string, t parser.Type) {
	switch t := t.(type) {
	case *parser.Object:
		// A plain map is described by the member that has it.
		if len(t.Members) == 1 {
			if i, ok := t.Members[0].(*parser.Index); ok {
				c.typ(path+"[]", i.Value)
				return
			}
		}
		c.members(path, t.Members)
	case *parser.Union:
		for _, arm := range t.Arms {
			if l, ok := arm.Type.(*parser.Literal); ok {
				if s, ok := l.Value.(string); ok {
					c.doc(path+"="+s, l.Pos, arm.Doc)
				}
			}
			c.typ(path, arm.Type)
		}
	case *parser.Intersection:
		for _, p := range t.Parts {
			c.typ(path, p)
		}
	case *parser.Array:
		c.typ(path+"[]", t.Elem)
	case *parser.Ref:
		for _, a := range t.Args {
			c.typ(path+"[]", a)
		}
	}
}

func (c *docChecker) doc(path string, pos parser.Pos, d *parser.Doc) {
	c.t.Helper()
	report := func(format string, args ...any) {
		c.t.Helper()
		c.t.Errorf("%d:%d: %s: "+format, append([]any{pos.Line, pos.Col, path}, args...)...)
	}
	if d == nil || d.Text == "" {
		report("no doc comment")
		return
	}
	if !strings.HasSuffix(d.Text, ".") {
		report("doc comment does not end with a period: %q", d.Text)
	}
	if first, _ := utf8.DecodeRuneInString(d.Text); !unicode.IsUpper(first) {
		report("doc comment does not begin with a capital letter: %q", d.Text)
	}
	if tag, ok := d.Tag("deprecated"); ok && !strings.HasSuffix(tag.Text, ".") {
		report("@deprecated does not say what to use instead: %q", tag.Text)
	}
	for rest := d.Text; ; {
		_, after, ok := strings.Cut(rest, "{@link ")
		if !ok {
			return
		}
		name, after, _ := strings.Cut(after, "}")
		if !c.declared[name] {
			report("link to %q, which this revision does not declare", name)
		}
		rest = after
	}
}
