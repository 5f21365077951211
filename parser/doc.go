package parser

import "strings"

// parseDoc parses the doc comment at a place in the source. It returns nil where there is none,
// or where it is empty.
func (p *parser) parseDoc(at span) *Doc {
	if at == (span{}) {
		return nil
	}
	d := &Doc{Pos: p.lines.pos(at.start)}
	start, end := at.start+len("/**"), at.end-len("*/")
	for end > start && p.src[end-1] == '*' { // a comment that is closed by **/
		end--
	}
	var text []string // of the description, or of the last tag
	flush := func() {
		s := strings.TrimSpace(strings.Join(text, "\n"))
		text = text[:0]
		if n := len(d.Tags); n > 0 {
			d.Tags[n-1].Text = s
		} else {
			d.Text = s
		}
	}
	fenced := false
	for off := start; off < end; {
		line, next := docLine(p.src[:end], off, off == start)
		name := tagName(line.text)
		if name == "" || fenced {
			text = append(text, line.text)
		} else {
			for ; name != ""; name = tagName(line.text) {
				flush()
				d.Tags = append(d.Tags, Tag{Pos: p.lines.pos(line.off), Name: name})
				line = line.from(len("@") + len(name))
				n := nextTag(line.text)
				text = append(text, line.text[:n])
				line = line.from(n)
			}
		}
		if strings.Count(p.src[off:next], "```")%2 == 1 {
			fenced = !fenced
		}
		off = next
	}
	flush()
	if d.Text == "" && len(d.Tags) == 0 {
		return nil
	}
	return d
}

// A docText is a piece of a doc comment and its offset.
type docText struct {
	text string
	off  int
}

func (t docText) from(n int) docText { return docText{t.text[n:], t.off + n} }

// docLine returns the line of a doc comment at an offset, without the star at its front, and the
// offset of the next line. The indentation behind the star is kept, but not that of a tag.
func docLine(src string, off int, first bool) (line docText, next int) {
	end := off
	next = len(src)
	for ; end < len(src); end++ {
		if n := lineBreak(src[end:]); n > 0 {
			next = end + n
			break
		}
	}
	line = docText{src[off:end], off}
	trimmed := line.from(len(line.text) - len(strings.TrimLeft(line.text, " \t")))
	switch {
	case first:
		line = trimmed
	case strings.HasPrefix(trimmed.text, "*"):
		line = trimmed.from(len("*"))
		if strings.HasPrefix(line.text, " ") {
			line = line.from(1)
		}
	}
	line.text = strings.TrimRight(line.text, " \t")
	trimmed = line.from(len(line.text) - len(strings.TrimLeft(line.text, " \t")))
	if tagName(trimmed.text) != "" {
		line = trimmed
	}
	return line, next
}

// tagName returns the name of the block tag that s begins with. A name is followed by white space,
// which tells a tag from a scoped package's name.
func tagName(s string) string {
	if len(s) < 2 || s[0] != '@' || isDigit(s[1]) || !isIdentByte(s[1]) {
		return ""
	}
	end := 2
	for end < len(s) && (isIdentByte(s[end]) || s[end] == '-') {
		end++
	}
	if end < len(s) && s[end] != ' ' && s[end] != '\t' {
		return ""
	}
	return s[1:end]
}

// nextTag returns the index of the next block tag in the line of a tag, or its length. As for
// TypeScript, a tag stands after white space, and not in backquotes or braces.
func nextTag(s string) int {
	quoted, braces := false, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '`':
			quoted = !quoted
		case quoted:
		case c == '{':
			braces++
		case c == '}':
			braces = max(0, braces-1)
		case c == '@' && braces == 0 && i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') && tagName(s[i:]) != "":
			return i
		}
	}
	return len(s)
}
