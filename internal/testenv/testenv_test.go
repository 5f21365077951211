package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestDir has a folder at the same path in each run, unless it is taken, and leaves none.
func TestDir(t *testing.T) {
	var first string
	for range 2 {
		t.Run("a", func(t *testing.T) {
			dir := Dir(t)
			if other := Dir(t); other == dir {
				t.Errorf("%s is used twice", dir)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("%v %v", entries, err)
			}
			if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = dir
			}
		})
	}
	if _, err := os.Stat(first); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", first, err)
	}
}

// TestNeedsOfficial skips without the variable, with a command, and fails if the go command would not
// find the folder from where tests run.
func TestNeedsOfficial(t *testing.T) {
	absolute := t.TempDir()
	for value, want := range map[string]outcome{
		"":       {skipped: true, said: "MCPGEN_OFFICIAL=$PWD/DIR go test"},
		"x/y":    {failed: true, said: `must be an absolute path, got "x/y"`},
		absolute: {dir: absolute},
	} {
		t.Setenv("MCPGEN_OFFICIAL", value)
		got := &outcome{TB: t}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			got.dir = NeedsOfficial(got)
		}()
		<-ended
		if got.dir != want.dir || got.skipped != want.skipped || got.failed != want.failed || !strings.Contains(got.said, want.said) {
			t.Errorf("MCPGEN_OFFICIAL=%q: folder %q, skipped %t, failed %t, said %q",
				value, got.dir, got.skipped, got.failed, got.said)
		}
	}
}

// An outcome takes the place of a test, and remembers how it ended.
type outcome struct {
	testing.TB
	dir, said       string
	skipped, failed bool
	cleanUp         func()
}

func (o *outcome) Cleanup(f func()) { o.cleanUp = f }

func (o *outcome) Errorf(format string, args ...any) {
	o.failed, o.said = true, fmt.Sprintf(format, args...)
}

func (o *outcome) Skip(args ...any) {
	o.skipped, o.said = true, fmt.Sprint(args...)
	runtime.Goexit()
}

func (o *outcome) Fatalf(format string, args ...any) {
	o.failed, o.said = true, fmt.Sprintf(format, args...)
	runtime.Goexit()
}
