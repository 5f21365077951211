// Command size prints how large the runtime is. With the name of a document it writes that into it, between the comments
// that mark the place.
//
//	go run ./internal/size
//	go run ./internal/size docs/architecture.md
package main

import (
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	m, err := measure(".")
	if err != nil {
		log.Fatal(err)
	}
	if len(os.Args) < 2 {
		fmt.Print(m.table())
		return
	}
	name := os.Args[1]
	text, err := os.ReadFile(name)
	if err == nil {
		var written string
		if written, err = write(string(text), m.table()); err == nil && written != string(text) {
			err = os.WriteFile(name, []byte(written), 0o666)
		}
	}
	if err != nil {
		log.Fatal(err)
	}
}

// The marks between which a document has the table.
const begin, end = "<!-- go run ./internal/size -->\n", "<!-- end -->\n"

// write returns text with the table between the marks.
func write(text, table string) (string, error) {
	before, rest, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("no %q followed by %q", begin, end)
	}
	return before + begin + table + end + after, nil
}
