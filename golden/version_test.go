package golden_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// Files that another version of mcpgen has generated do not compile, and the compiler says first what to run.
func TestVersionOfGeneratedCode(t *testing.T) {
	testenv.Long(t)
	version := regexp.MustCompile("Version[0-9]+")
	for _, c := range []struct{ files, current string }{
		{"../mcp/*.go", "wire.GeneratedForVersion2_RunGoGenerate"},
		{"../mcp/tasks/*.go", "wire.GeneratedForVersion2_RunGoGenerate"},
		{"../mcp/ui/*.go", "wire.GeneratedForVersion2_RunGoGenerate"},
		{"../examples/weather/mcp_gen.go", "args.GeneratedForVersion6_RunGoGenerate"},
	} {
		for _, other := range []string{"Version0", "Version999"} {
			constant := version.ReplaceAllString(c.current, other)
			out := compileWith(t, c.files, c.current, constant)
			_, out, _ = strings.Cut(out, "\n") // the name of the package
			first, _, _ := strings.Cut(out, "\n")
			t.Log(first)
			if !strings.HasSuffix(strings.TrimSpace(first), " undefined: "+constant) {
				t.Errorf("%s with %s: the compiler says %q first, want undefined: %s", c.files, other, first, constant)
			}
		}
	}
}

// compileWith returns what the compiler says of a package if the files that the pattern matches hold another
// constant.
func compileWith(t *testing.T, files, old, constant string) string {
	t.Helper()
	names, err := filepath.Glob(files)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", files, len(names), err)
	}
	dir, replace := t.TempDir(), map[string]string{}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(src, []byte(old)) != 1 {
			t.Errorf("%s has %s %d times, want once", name, old, bytes.Count(src, []byte(old)))
		}
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(replace[path], bytes.Replace(src, []byte(old), []byte(constant), 1), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "build", "-overlay", overlay, "-o", os.DevNull, filepath.ToSlash(filepath.Dir(names[0]))).CombinedOutput()
	if err == nil {
		t.Errorf("%s compiles with %s", files, constant)
	}
	return string(out)
}
