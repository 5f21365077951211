package mcpgen_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link matches the target of a Markdown link.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestDocsLinks checks that what the documents link to is in this repository.
func TestDocsLinks(t *testing.T) {
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "node_modules" || name == "testdata" || name == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(file) != ".md" {
			return nil
		}
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := file
			if target != "" {
				to = path.Join(path.Dir(filepath.ToSlash(file)), target)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			} else if anchor != "" && !strings.Contains(anchors(read(t, to)), " "+anchor+" ") {
				t.Errorf("%s links to %s: %s has no such heading", file, m[1], to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// notInAnchor matches what a heading's anchor leaves out.
var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchors returns the anchors of the headings of a document, with a space around each.
func anchors(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for line := range strings.Lines(text) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			heading = notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			b.WriteString(strings.ReplaceAll(heading, " ", "-") + " ")
		}
	}
	return b.String()
}
