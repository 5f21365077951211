// Command report writes the figures of docs/generated-sdk.md and the tables of docs/revision-matrix.md, each between the
// comments that mark its place:
//
//	go run ./internal/report docs/generated-sdk.md
//	go run ./internal/report docs/revision-matrix.md
package main

import (
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: report FILE")
	}
	name := os.Args[1]
	text, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	written, err := write(".", string(text))
	if err == nil && written != string(text) {
		err = os.WriteFile(name, []byte(written), 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// parts are what a document may have, by the name in the mark.
var parts = map[string]func(root string) (string, error){
	"layers":      layers,
	"gaps":        gaps,
	"choices":     choices,
	"ambiguities": ambiguities,
	"scores":      scores,
	"methods":     methods,
	"types":       types,
	"fields":      fields,
	"codes":       codes,
}

// write returns text with every part made anew. A part stands between <!-- report NAME --> and <!-- end -->.
func write(root, text string) (string, error) {
	const begin, end = "<!-- report ", "<!-- end -->\n"
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, begin)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, rest, _ := strings.Cut(rest, " -->\n")
		_, after, closed := strings.Cut(rest, end)
		part := parts[name]
		if part == nil || !closed {
			return "", fmt.Errorf("%q: no such part, or no %q after it", begin+name+" -->", end)
		}
		table, err := part(root)
		if err != nil {
			return "", err
		}
		b.WriteString(begin + name + " -->\n" + table + end)
		text = after
	}
}
