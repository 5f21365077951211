package publish

import (
	"bytes"
	"fmt"
	"strings"
)

// The markers in a README between which the table of tools stands.
const (
	tableBegin = "<!-- mcpgen:tools -->"
	tableEnd   = "<!-- /mcpgen:tools -->"
)

// HasTable reports whether a README has the marker of the table.
func HasTable(readme []byte) bool { return bytes.Contains(readme, []byte(tableBegin)) }

// Table returns a README with the table of tools between its markers.
func Table(p *Project, name string, readme []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(readme, []byte(tableBegin))
	_, after, closed := bytes.Cut(rest, []byte(tableEnd))
	if !ok || !closed {
		return nil, fmt.Errorf("%s has no place for the table of tools: want the lines %s and %s", name, tableBegin, tableEnd)
	}
	var b bytes.Buffer
	b.Write(before)
	b.WriteString(tableBegin + "\n\n| Tool | What it does | Arguments |\n|---|---|---|\n")
	for _, t := range p.Tools {
		var args []string
		for _, a := range t.Arguments {
			arg := "`" + a.Name + "`"
			if !a.Required {
				arg += " (optional)"
			}
			args = append(args, arg)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.Name, cell(summary(t.Description)), strings.Join(args, ", "))
	}
	b.WriteString("\n" + tableEnd)
	b.Write(after)
	return b.Bytes(), nil
}

// cell escapes what would end the cell of a table, or be taken for HTML.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;").Replace(s)
}
