package directive

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Help describes all directives, for people at a terminal.
func Help() string {
	var b strings.Builder
	b.WriteString(`A directive is a line of a doc comment: //mcp: and a name, with no space before
it, then arguments, flags and key=value, separated by spaces. A value with spaces
is written "key=some text", and a comma inside a value of a list \,.
`)
	for _, s := range specs {
		b.WriteString("\n" + s.usage() + "\n")
		write(&b, s.Meaning)
		write(&b, "Above "+s.WherePlaces()+".")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, a := range s.Args {
			fmt.Fprintf(w, "      %s\t%s%s\n", a.Name, a.Meaning, only(a.Only))
		}
		for _, f := range s.Flags {
			fmt.Fprintf(w, "      %s\t%s\n", f.Name, f.Meaning)
		}
		for _, k := range s.Keys {
			fmt.Fprintf(w, "      %s=%s\t%s%s\n", k.Name, k.Value, k.Meaning, only(k.Only))
		}
		w.Flush() // a Builder takes everything
		if s.Parts != "" {
			write(&b, s.Parts)
		}
		b.WriteString("    Example: " + s.Example + "\n")
	}
	return b.String()
}

// Table describes all directives in a Markdown table: how each is written, where, and what it means. [Help] says what
// arguments, flags and keys mean.
func Table() string {
	var b strings.Builder
	b.WriteString("| directive | above | flags and keys | meaning |\n|---|---|---|---|\n")
	for _, s := range specs {
		var words []string
		for _, f := range s.Flags {
			words = append(words, "`"+f.Name+"`")
		}
		for _, k := range s.Keys {
			words = append(words, "`"+k.Name+"=`")
		}
		first, _, more := strings.Cut(s.Meaning, ". ")
		if more {
			first += "."
		}
		cells := []string{"`" + s.usage() + "`", s.WherePlaces(), strings.Join(words, " "), first + " `" + s.Example + "`"}
		for _, cell := range cells {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

func only(p Place) string {
	if p == "" {
		return ""
	}
	return " (only above " + string(p) + ")"
}

// usage returns the directive with its arguments: //mcp:complete TARGET ARGUMENT.
func (s *Spec) usage() string {
	u := "//" + Tool + ":" + s.Name
	for _, a := range s.Args {
		if a.Only != "" {
			u += " [" + a.Name + "]"
		} else {
			u += " " + a.Name
		}
	}
	if s.Text != "" {
		u += " " + s.Text
	}
	return u
}

// write breaks a text into indented lines of about 80 characters.
func write(b *strings.Builder, text string) {
	const indent = "    "
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && len(line)+1+len(word) > 80 {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
}
