package parser

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// testArchives runs a test for each txtar file in a folder. The test gets the file in.ts and
// returns what all the other files should hold, by name.
func testArchives(t *testing.T, dir string, run func(t *testing.T, src []byte) map[string]string) {
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
			if len(archive.Files) == 0 || archive.Files[0].Name != "in.ts" {
				t.Fatalf("%s does not begin with in.ts", path)
			}
			got := run(t, archive.Files[0].Data)
			if *update {
				archive.Files = archive.Files[:1]
				for _, name := range []string{"format", "tree", "error"} {
					if text, ok := got[name]; ok {
						archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
					}
				}
				if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want := map[string]string{}
			for _, f := range archive.Files[1:] {
				want[f.Name] = string(f.Data)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got (run with -update to accept):\n%s", diff)
			}
		})
	}
}

// TestParse compares trees, with all positions and comments, and their canonical print.
func TestParse(t *testing.T) {
	testArchives(t, "testdata", func(t *testing.T, src []byte) map[string]string {
		f, err := Parse("in.ts", src)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{"format": Format(f), "tree": dump(f)}
	})
}

// TestErrors compares the messages for wrong schemas.
func TestErrors(t *testing.T) {
	testArchives(t, "testdata/errors", func(t *testing.T, src []byte) map[string]string {
		f, err := Parse("in.ts", src)
		if err == nil {
			t.Fatalf("Parse accepts it as:\n%s", Format(f))
		}
		var list ErrorList
		if !errors.As(err, &list) || f != nil {
			t.Fatalf("Parse returns %v and the error type %T", f, err)
		}
		return map[string]string{"error": err.Error() + "\n"}
	})
}
