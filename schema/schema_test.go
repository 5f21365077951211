package schema_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

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
	for _, r := range schema.Revisions() {
		if b, err := hex.DecodeString(r.Official); err != nil || len(b) != 32 || r.Official != strings.ToLower(r.Official) {
			t.Errorf("%s: %q is no SHA-256 in lower-case hexadecimal", r.Name, r.Official)
		}
		if other, ok := seen[r.Official]; ok {
			t.Errorf("%s and %s have the same digest", other, r.Name)
		}
		seen[r.Official] = r.Name
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
	const known = "known are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28"
	for _, name := range []string{"", "2025-11-24", "2025-11-25/", "../schema/2025-11-25"} {
		_, err := schema.Source(name)
		want := `schema: no revision "` + name + `"; ` + known
		if err == nil || err.Error() != want {
			t.Errorf("Source(%q): error %v, want %s", name, err, want)
		}
	}
}

// The numbers are those of the official schemas.
func TestDeclarations(t *testing.T) {
	type counts struct{ interfaces, aliases, constants int }
	want := map[string]counts{
		"2024-11-05": {66, 13, 7},
		"2025-03-26": {68, 15, 7},
		"2025-06-18": {76, 15, 7},
		"2025-11-25": {120, 25, 8},
		"2026-07-28": {128, 27, 10},
	}
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
		if got != want[r.Name] {
			t.Errorf("%s: %+v, want %+v", r.Name, got, want[r.Name])
		}
		if latest != r.Name {
			t.Errorf("%s: LATEST_PROTOCOL_VERSION is %v", r.Name, latest)
		}
	}
}

// Generated Go code takes its doc comments from here, so that nothing may be without one.
func TestDocs(t *testing.T) {
	for _, r := range schema.Revisions() {
		t.Run(r.Name, func(t *testing.T) {
			f := parse(t, r.Name)
			c := docChecker{t: t, declared: map[string]bool{}}
			for _, d := range f.Decls {
				c.declared[d.DeclName()] = true
			}
			for _, d := range f.Decls {
				c.decl(d)
			}
		})
	}
}

func TestLines(t *testing.T) {
	for _, r := range schema.Revisions() {
		src, err := schema.Source(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(src, []byte("// Model Context Protocol, revision "+r.Name+".\n")) {
			t.Errorf("%s: the first line does not name the revision", r.Name)
		}
		if !bytes.HasSuffix(src, []byte("\n")) || bytes.HasSuffix(src, []byte("\n\n")) {
			t.Errorf("%s: want one line break at the end", r.Name)
		}
		n := 0
		for line := range bytes.Lines(src) {
			n++
			line = bytes.TrimSuffix(line, []byte("\n"))
			if utf8.RuneCount(line) > 100 {
				t.Errorf("%s:%d: more than 100 columns", r.Name, n)
			}
			if len(bytes.TrimRight(line, " \t\r")) < len(line) {
				t.Errorf("%s:%d: blanks at the end of the line", r.Name, n)
			}
		}
	}
}

func parse(t *testing.T, revision string) *parser.File {
	t.Helper()
	src, err := schema.Source(revision)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.Parse(revision+"/"+schema.FileName, src)
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
