package limits_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/limits.md lists the tables that there are, and the prefixes of their rows.
func TestDocument(t *testing.T) {
	const root = "../.."
	doc, err := os.ReadFile(root + "/docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\| (.*?) \| (\S+cost_test\.go) \|`).FindAllStringSubmatch(string(doc), -1) {
		told[m[2]] = strings.ReplaceAll(m[1], "`", "")
	}
	row := regexp.MustCompile(`"([a-z]+): `)
	found := map[string]string{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return fs.SkipDir
		}
		if d.Name() != "cost_test.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		prefixes := map[string]bool{}
		for _, m := range row.FindAllStringSubmatch(string(text), -1) {
			prefixes[m[1]] = true
		}
		name, err := filepath.Rel(root, path)
		found[filepath.ToSlash(name)] = strings.Join(slices.Sorted(maps.Keys(prefixes)), ", ")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, prefixes := range found {
		parts := strings.Split(told[path], ", ")
		slices.Sort(parts)
		if got := strings.Join(parts, ", "); got != prefixes {
			t.Errorf("%s: docs/limits.md has rows of %q, the test of %q", path, got, prefixes)
		}
	}
	for path := range told {
		if _, ok := found[path]; !ok {
			t.Errorf("%s: docs/limits.md has it, but it is not there", path)
		}
	}
}
