// Package godoc turns the descriptions in schemas into the text of Go doc comments.
package godoc

import (
	"go/build/constraint"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/harmless"
)

// Width is how many characters a line of a comment has at most, without the comment mark.
const Width = 97

// Text brings a description into the form of a Go doc comment: {@link Name} marks become doc links, and paragraphs
// are broken into lines of [Width]. Lists, indented text and fenced code keep their lines. Link returns the Go
// identifier for a name in the schema, or for a member, Name.member; a name for which it returns "" stays plain
// text.
func Text(description string, link func(name string) string) string {
	var out []string
	var paragraph []string
	flush := func() {
		out = append(out, wrap(strings.Join(paragraph, " "))...)
		paragraph = nil
	}
	fenced := false
	for line := range strings.Lines(links(description, link)) {
		line = strings.TrimRight(line, " \t\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			flush()
			if fenced = !fenced; fenced {
				out = blank(out)
			}
		case fenced:
			out = append(out, strings.TrimRight("\t"+line, "\t"))
		case trimmed == "":
			flush()
			out = blank(out)
		case isItem(trimmed):
			flush()
			out = append(out, "  "+trimmed)
		case strings.HasPrefix(line, "    "), strings.HasPrefix(line, "\t"):
			flush()
			out = append(out, "\t"+trimmed)
		default:
			paragraph = append(paragraph, trimmed)
		}
	}
	flush()
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// Join joins texts as paragraphs, and leaves out empty ones.
func Join(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n\n")
}

// Deprecated returns the paragraph that marks something as deprecated, empty for an empty reason.
func Deprecated(reason string, link func(string) string) string {
	switch reason {
	case "":
		return ""
	case "deprecated": // no reason is given
		return "Deprecated: the protocol deprecates it."
	}
	return Text("Deprecated: "+reason, link)
}

// Line returns a line of text as a line of a comment that has no meaning to tools: it is not a build constraint of
// the old form, which gofmt would move to the top of the file, and has no characters that Go source must not have or
// that would control what shows it.
func Line(text string) string {
	line := "// " + harmless.Text(text)
	if constraint.IsPlusBuild(line) {
		line = strings.Replace(line, "+build", "`+build`", 1)
	}
	return line
}

func blank(lines []string) []string {
	if len(lines) == 0 || lines[len(lines)-1] == "" {
		return lines
	}
	return append(lines, "")
}

func isItem(line string) bool {
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || numbered.MatchString(line)
}

var (
	numbered = regexp.MustCompile(`^[0-9]+[.)] `)
	mark     = regexp.MustCompile(`\{@link\s+([^}\s|]+)(?:\s*\|\s*|\s+)?([^}]*)\}`)
)

// links replaces the {@link …} marks.
func links(text string, link func(string) string) string {
	return mark.ReplaceAllStringFunc(text, func(m string) string {
		parts := mark.FindStringSubmatch(m)
		name, label := parts[1], strings.TrimSpace(parts[2])
		switch to := link(name); {
		case to != "":
			return "[" + to + "]"
		case label != "":
			return label
		}
		return name
	})
}

// wrap breaks a paragraph into lines.
func wrap(text string) []string {
	var lines []string
	line, width := "", 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if width > 0 && width+1+n > Width {
			lines = append(lines, line)
			line, width = "", 0
		}
		if width > 0 {
			line += " "
			width++
		}
		line += word
		width += n
	}
	if width > 0 {
		lines = append(lines, line)
	}
	return lines
}

// About turns a description as in schemas ("The parameters of a call.") into the first sentence of a Go comment:
// "CallParams are the parameters of a call." A description of white space alone counts as empty.
func About(name, description string) string {
	description = strings.TrimSpace(description)
	if description == "" {
		return ""
	}
	first, rest, _ := strings.Cut(description, " ")
	letter, size := utf8.DecodeRuneInString(first)
	if next, _ := utf8.DecodeRuneInString(first[size:]); size < len(first) && !unicode.IsLower(next) {
		return name + ": " + description // an abbreviation, or no sentence
	}
	second, _, _ := strings.Cut(rest, " ")
	verb := "is "
	switch {
	case slices.Contains(verbs, first):
		verb = ""
	case first == "The" && isPlural(second), isPlural(first):
		verb = "are "
	}
	return name + " " + verb + string(unicode.ToLower(letter)) + description[size:]
}

// verbs lists the verbs with which descriptions without a subject begin.
var verbs = []string{"Asks", "Describes", "Gives", "Holds", "Lists", "Marks", "Names", "Says", "Selects", "Sent", "Tells"}

func isPlural(noun string) bool {
	for _, end := range []string{"ss", "us", "is", "'s"} {
		if strings.HasSuffix(noun, end) {
			return false
		}
	}
	return strings.HasSuffix(noun, "s")
}
