package testenv

import (
	"os"
	"path/filepath"
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
