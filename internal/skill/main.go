// Command skill writes the table of directives into a document, between the comments that mark the place.
//
//	go run ./internal/skill skills/mcpgen/SKILL.md
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("want one argument, the name of the document")
	}
	if err := update(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// update writes the table into a document, if it is another one.
func update(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	written, err := write(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if written == string(text) {
		return nil
	}
	return os.WriteFile(name, []byte(written), 0o666)
}

// The marks between which a document has the table.
const begin, end = "<!-- go run ./internal/skill -->\n", "<!-- end -->\n"

// write returns text with the table between the marks.
func write(text string) (string, error) {
	before, rest, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("no %q followed by %q", begin, end)
	}
	return before + begin + tools.DirectiveTable() + end + after, nil
}
