package output_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
)

// TestApplyAsAWhole changes nothing if one of the files cannot be written, and leaves nothing behind.
func TestApplyAsAWhole(t *testing.T) {
	before := map[string]string{"a.go": "old", "file": ""}
	folder(t, before)
	err := output.Apply([]output.Change{
		{Path: filepath.Join("out", "a.go"), Old: []byte("old"), New: []byte("new")},
		{Path: filepath.Join("out", "file"), Old: []byte{}},
		{Path: filepath.Join("out", "file", "b.go"), New: []byte("new")},
	})
	if err == nil || !strings.HasPrefix(err.Error(), "mkdir ") {
		t.Errorf("a file was written into a file: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"out/a.go": "old", "out/file": ""}, contents(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestApplyReplaces checks that a file is replaced, not written to: whoever reads the old one, and
// whatever happens meanwhile, sees the old one or the new one. Its permissions stay.
func TestApplyReplaces(t *testing.T) {
	folder(t, map[string]string{"a.go": "old"})
	path := filepath.Join("out", "a.go")
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := output.Apply([]output.Change{{Path: path, Old: []byte("old"), New: []byte("new")}}); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, after) || before.Mode() != after.Mode() {
		t.Errorf("the same file: %v; mode %v, was %v", os.SameFile(before, after), after.Mode(), before.Mode())
	}
	text := make([]byte, 10)
	if n, _ := reader.Read(text); string(text[:n]) != "old" {
		t.Errorf("who reads the old file gets %q", text[:n])
	}
}

// TestApplyLink checks that a link stays one.
func TestApplyLink(t *testing.T) {
	folder(t, map[string]string{"there/a.go": "old"})
	if err := os.Symlink(filepath.Join("there", "a.go"), filepath.Join("out", "a.go")); err != nil {
		t.Skipf("needs symbolic links: %v", err)
	}
	if err := output.Apply([]output.Change{{Path: filepath.Join("out", "a.go"), Old: []byte("old"), New: []byte("new")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Readlink(filepath.Join("out", "a.go")); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"out/a.go": "new", "out/there/a.go": "new"}, contents(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestApplyAfterKill checks that what a killed run left is removed, and what a run at work has
// written is not.
func TestApplyAfterKill(t *testing.T) {
	folder(t, map[string]string{".mcpgen-OLD.tmp": "half", ".mcpgen-NEW.tmp": "half", ".mcpgen-OLD.txt": "mine", "mine.tmp": "mine"})
	for _, name := range []string{".mcpgen-OLD.tmp", ".mcpgen-OLD.txt", "mine.tmp"} {
		long := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join("out", name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := output.Apply([]output.Change{{Path: filepath.Join("out", "a.go"), New: []byte("new")}}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"out/.mcpgen-NEW.tmp": "half", "out/.mcpgen-OLD.txt": "mine", "out/a.go": "new", "out/mine.tmp": "mine"}
	if diff := cmp.Diff(want, contents(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestApplyErrors fails where a file cannot be written, and where one is gone that was to be removed.
func TestApplyErrors(t *testing.T) {
	folder(t, map[string]string{"a.go": "old"})
	if err := output.Apply([]output.Change{{Path: filepath.Join("out", "gone.go"), Old: []byte("old")}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone was removed: %v", err)
	}
	if err := output.Apply([]output.Change{{Path: "out", New: []byte("new")}}); err == nil {
		t.Error("a file took the place of a folder")
	}
	if left, err := filepath.Glob(".mcpgen-*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	const full = "/proc/self" // a folder in which nobody can write
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	err := output.Apply([]output.Change{{Path: filepath.Join("out", "a.go"), New: []byte("new")}, {Path: full + "/a.go", New: []byte("new")}})
	if err == nil || !strings.HasPrefix(err.Error(), full+"/a.go cannot be written: ") || strings.Contains(err.Error(), ".tmp") || errors.Is(err, fs.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(map[string]string{"out/a.go": "old"}, contents(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestApplyMode gives new files the permissions that files have.
func TestApplyMode(t *testing.T) {
	folder(t, nil)
	if err := os.WriteFile("other", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat("other")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("out", "a.go")
	if err := output.Apply([]output.Change{{Path: path, New: []byte("new")}}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != want.Mode() {
		t.Errorf("got %v, %v, want %v", info.Mode(), err, want.Mode())
	}
}

// TestReadIrregular does not read what may never end.
func TestReadIrregular(t *testing.T) {
	folder(t, map[string]string{"a.go/b.go": ""})
	_, err := output.Read(filepath.Join("out", "a.go"))
	if err == nil || !strings.HasPrefix(err.Error(), "out/a.go is no regular file") {
		t.Errorf("got %v", err)
	}
}

// TestCompareWhileApplied compares a folder while another run, such as that of mcpgen dev, writes to it: the temporary
// files do not count as files that are no longer generated.
func TestCompareWhileApplied(t *testing.T) {
	folder(t, map[string]string{"a.go": generated("a"), ".mcpgen-NEW.tmp": generated("b")})
	if changes := compare(t, files{"a.go": generated("a")}); len(changes) > 0 {
		t.Errorf("got %s, want no changes", changes[0].Path)
	}
}
