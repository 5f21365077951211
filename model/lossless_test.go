package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/parser"
)

// TestLossless changes everything in a syntax tree, one thing at a time, and checks that Lower
// makes another schema of it each time, or refuses it. The case uses all that the parser knows.
func TestLossless(t *testing.T) {
	m := &mutator{t: t}
	redundant := regexp.MustCompile(`Last\.Members\[6\]\.Readonly:`) // of a member that is never there
	checkLossless(t, m, parseArchive(t, "testdata/lossless.txtar"), redundant)
	want := []string{"Alias", "Array", "Const", "Doc", "Enum", "EnumMember", "Export", "File", "Import", "ImportName", "Index",
		"Indexed", "Interface", "Intersection", "KeyOf", "Keyword", "Literal", "Mapped", "Object", "Property", "Ref", "Tag", "Template",
		"Tuple", "TupleElem", "TypeOf", "TypeParam", "Union", "UnionArm"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(m.nodes))); diff != "" {
		t.Errorf("kinds of nodes that were changed, -all +got:\n%s", diff)
	}
}

// TestLosslessPublished does the same with a sample of what is in the newest published schema.
func TestLosslessPublished(t *testing.T) {
	testenv.Long(t)
	m := &mutator{t: t, step: 7}
	// What is said twice: a member of an intersection is required if one part requires it, and one
	// that overrides another without a comment has the other's.
	redundant := regexp.MustCompile(`Parts\[1\]\.Members\[0\]\.Optional:|ResultResponse\.Members\[0\]\.Doc:`)
	checkLossless(t, m, []*parser.File{parseRevision(t, "2026-07-28")}, redundant)
}

// checkLossless tries all changes. Those whose description matches redundant need not be seen.
func checkLossless(t *testing.T, m *mutator, files []*parser.File, redundant *regexp.Regexp) {
	dump := func() []byte {
		s, err := Lower("2026-07-28", files...)
		if err != nil {
			return nil
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	before := dump()
	if before == nil {
		t.Fatal("the schema is refused as it is")
	}
	m.try = func(change string) {
		if bytes.Equal(dump(), before) && (redundant == nil || !redundant.MatchString(change)) {
			t.Errorf("%s\nmakes no difference to the schema", change)
		}
	}
	m.all(files)
	if m.tried < 500 {
		t.Errorf("only %d changes were tried", m.tried)
	}
}

// TestMutants changes everything in all cases, and puts what comes of it through all stages: they
// may refuse it, but must not panic.
func TestMutants(t *testing.T) {
	testenv.Long(t)
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test cases: %v", err)
	}
	for _, path := range paths {
		if filepath.Base(filepath.Dir(path)) == "errors" {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			files := parseArchive(t, path)
			m := &mutator{t: t}
			m.try = func(change string) {
				defer func() {
					if r := recover(); r != nil {
						t.Fatalf("%s\npanics: %v", change, r)
					}
				}()
				var all []*Schema
				for _, group := range byRevision(files) {
					s, err := Lower(filepath.Dir(group[0].Name), group...)
					if err != nil {
						return
					}
					s.JSONSchema() // may refuse it too
					all = append(all, s)
				}
				merge(nil, all)
			}
			m.all(files)
		})
	}
}

// byRevision groups files by folder. Those in none belong to one schema.
func byRevision(files []*parser.File) [][]*parser.File {
	if filepath.Dir(files[0].Name) == "." {
		return [][]*parser.File{files}
	}
	var groups [][]*parser.File
	for _, f := range files {
		groups = append(groups, []*parser.File{f})
	}
	return groups
}

// parseArchive parses all sources of a case.
func parseArchive(t *testing.T, path string) []*parser.File {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var files []*parser.File
	for _, f := range archive.Files {
		if filepath.Ext(f.Name) != ".ts" {
			continue
		}
		file, err := parser.Parse(f.Name, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}
