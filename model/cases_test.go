package model

import (
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestLower compares what Lower makes of schema.ts with the file model of each case.
func TestLower(t *testing.T) {
	testArchives(t, "testdata/lower", func(t *testing.T, c testCase) (string, []byte) {
		return "model", []byte(render(mustLower(t, c), true))
	})
}

// TestMerge compares what Merge makes of REVISION/schema.ts, and of the exceptions in the file
// table, with the file model of each case.
func TestMerge(t *testing.T) {
	testArchives(t, "testdata/merge", func(t *testing.T, c testCase) (string, []byte) {
		s, err := c.merge(t)
		if err != nil {
			t.Fatal(err)
		}
		return "model", []byte(render(s, true))
	})
}

// TestErrors compares the messages for schemas that Lower refuses, and for those that Merge
// refuses where they are in the folders of revisions, with the file error of each case.
func TestErrors(t *testing.T) {
	testArchives(t, "testdata/errors", func(t *testing.T, c testCase) (string, []byte) {
		var s *Schema
		var err error
		if c.revisions == nil {
			s, err = c.lower()
		} else {
			s, err = c.merge(t)
		}
		if err == nil {
			t.Fatalf("it is taken as:\n%s", render(s, false))
		}
		return "error", []byte(err.Error() + "\n")
	})
}

// TestJSONSchema compares the JSON Schema of schema.ts with the file schema.json of each case.
func TestJSONSchema(t *testing.T) {
	testArchives(t, "testdata/jsonschema", func(t *testing.T, c testCase) (string, []byte) {
		return "schema.json", jsonSchemaOf(t, mustLower(t, c))
	})
}

// A testCase is what a txtar file has apart from the expected output.
type testCase struct {
	files     map[string][]byte // the sources
	table     []exception
	revisions []string // the folders; nil: schema.ts is in none
}

// testArchives runs a test for each txtar file in a folder. The test returns what should be in the
// archive's last file, and the name of that file.
func testArchives(t *testing.T, dir string, run func(t *testing.T, c testCase) (name string, output []byte)) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test cases in %s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, got := run(t, newTestCase(t, archive))
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
			if *update {
				if i >= 0 {
					archive.Files = archive.Files[:i]
				}
				archive.Files = append(archive.Files, txtar.File{Name: name, Data: got})
				if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if i != len(archive.Files)-1 {
				t.Fatalf("%s does not end with the file %s", path, name)
			}
			if diff := cmp.Diff(string(archive.Files[i].Data), string(got)); diff != "" {
				t.Errorf("-want +got (run with -update to accept):\n%s", diff)
			}
		})
	}
}

func newTestCase(t *testing.T, archive *txtar.Archive) testCase {
	t.Helper()
	c := testCase{files: map[string][]byte{}}
	for _, f := range archive.Files {
		switch {
		case f.Name == "table":
			c.table = parseTable(t, string(f.Data))
		case path.Ext(f.Name) == ".ts":
			c.files[f.Name] = f.Data
			if dir := path.Dir(f.Name); dir != "." && !slices.Contains(c.revisions, dir) {
				c.revisions = append(c.revisions, dir)
			}
		}
	}
	return c
}

func (c testCase) read(name string) ([]byte, error) {
	if src, ok := c.files[name]; ok {
		return src, nil
	}
	return nil, fs.ErrNotExist
}

func (c testCase) load(revision, name string) (*Schema, error) {
	files, err := Load(name, c.read, map[string]string{"example": "example.ts"})
	if err != nil {
		return nil, err
	}
	return Lower(revision, files...)
}

func (c testCase) lower() (*Schema, error) { return c.load("2026-07-28", "schema.ts") }

func mustLower(t *testing.T, c testCase) *Schema {
	t.Helper()
	s, err := c.lower()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (c testCase) merge(t *testing.T) (*Schema, error) {
	t.Helper()
	var all []*Schema
	for _, r := range c.revisions {
		s, err := c.load(r, r+"/schema.ts")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return merge(c.table, all)
}

// parseTable reads exceptions, one for each line: `ACTION PATH key=value …`. Values that hold a
// blank are quoted.
func parseTable(t *testing.T, text string) []exception {
	t.Helper()
	var table []exception
	for line := range strings.Lines(text) {
		words := quotedFields(t, line)
		if len(words) < 2 {
			t.Fatalf("want ACTION PATH, not %q", line)
		}
		e := exception{do: action(words[0]), at: words[1]}
		for _, w := range words[2:] {
			key, value, _ := strings.Cut(w, "=")
			switch key {
			case "to":
				e.to = tableValue(value)
				if name, number, ok := strings.Cut(value, ":"); ok && e.do == code {
					e.to = errorCode{name: name, value: number}
				}
			case "otherwise":
				e.otherwise = value
			case "drop":
				e.drop = value
			case "from":
				e.from = value
			case "until":
				e.until = value
			case "when":
				e.when = map[string]condition{"earlier": earlier, "later": later, "last": last}[value]
			case "reason":
				e.reason = value
			default:
				t.Fatalf("%s in %q", key, line)
			}
		}
		if c, ok := e.to.(errorCode); ok {
			c.doc = e.reason
			e.to = c
		}
		table = append(table, e)
	}
	return table
}

func tableValue(s string) any {
	if b, err := strconv.ParseBool(s); err == nil && len(s) > 1 {
		return b
	}
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return s
}

// quotedFields splits a line at its blanks, but not inside quotation marks, which it removes.
func quotedFields(t *testing.T, line string) []string {
	t.Helper()
	quoted := false
	words := strings.FieldsFunc(strings.TrimSpace(line), func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
	if quoted {
		t.Fatalf("a quotation mark is missing in %q", line)
	}
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, `"`, "")
	}
	return words
}
