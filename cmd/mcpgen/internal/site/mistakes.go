package site

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// few is how many mistakes a subject has at most that has no page of its own.
const few = 2

// addMistakes adds pages of the mistakes that mcpgen tools finds, by what they are about: the code, and what is said of it.
// They are the cases of the generator's test, so that each message is there as it is printed.
func (s *site) addMistakes() error {
	const dir = "generator/tools/testdata/mistakes"
	files, err := fs.Glob(os.DirFS(s.Root), dir+"/*.txtar")
	if err != nil || len(files) == 0 {
		return err
	}
	by := map[string][]string{}
	for _, file := range files {
		subject, _, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".txtar"), "_")
		by[subject] = append(by[subject], file)
	}
	var others []string
	var subjects []string
	for subject, of := range by {
		if len(of) <= few {
			others = append(others, of...)
		} else {
			subjects = append(subjects, subject)
		}
	}
	slices.Sort(subjects)
	slices.Sort(others)
	for _, subject := range append(subjects, "others") {
		of, title := by[subject], "What can be wrong with "+subject+"?"
		if subject == "others" {
			of, title = others, "What else can be wrong?"
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "# %s\n\nMistakes in annotated code: what `mcpgen tools` says of each, where it is, and what would be right.\n", title)
		for _, file := range of {
			if err := writeMistake(&b, filepath.Join(s.Root, filepath.FromSlash(file))); err != nil {
				return err
			}
		}
		s.pages = append(s.pages, parse(&page{file: "mistakes/" + subject + ".md", section: "Mistakes", source: b.Bytes(), made: true}))
	}
	return nil
}

// writeMistake writes the section of a mistake.
func writeMistake(b *bytes.Buffer, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(file), ".txtar")
	fmt.Fprintf(b, "\n## %s\n", strings.ReplaceAll(name, "_", " "))
	archive := txtar.Parse(text)
	if about := strings.TrimSpace(string(archive.Comment)); about != "" {
		fmt.Fprintf(b, "\n%s\n", about)
	}
	for _, f := range archive.Files {
		language := "text"
		if strings.HasSuffix(f.Name, ".go") {
			language = "go"
		}
		if f.Name != "want" && f.Name != "a.go" {
			fmt.Fprintf(b, "\n`%s`:\n", f.Name)
		}
		fence := "```"
		for bytes.Contains(f.Data, []byte(fence)) {
			fence += "`"
		}
		fmt.Fprintf(b, "\n%s%s\n%s\n%s\n", fence, language, strings.TrimRight(string(f.Data), "\n"), fence)
	}
	return nil
}
