package parser

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzParse checks that Parse survives any input, that its errors have a place in the source, and
// that Format's output is accepted and canonical; and that what it accepts is TypeScript.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*.txtar", "testdata/errors/*.txtar"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatalf("no seeds: %v", err)
		}
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(archive.Files[0].Data)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := Parse("in.ts", src)
		if err == nil {
			checkFixedPoint(t, Format(file))
			checkTypeScript(t, src)
			return
		}
		_ = err.Error()
		for _, e := range err.(ErrorList) {
			if e.Pos.Offset < 0 || e.Pos.Offset > len(src) || e.Pos.Line < 1 || e.Pos.Col < 1 || e.Msg == "" {
				t.Errorf("an error without a place: %+v", e)
			}
		}
	})
}
