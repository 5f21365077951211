package parser

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const byteOrderMark = "\ufeff"

// A kind tells tokens apart. A punctuation mark's kind is the character itself, and so is the kind
// of a character that begins no token.
type kind rune

const (
	eof      kind = -1 - iota
	ident         // a name or keyword
	str           // a string literal
	num           // a numeric literal
	bigint        // a numeric literal with the suffix n
	template      // a template literal up to its end or to the first ${
	arrow         // =>
	ellipsis      // ...
)

// String returns the kind as messages show it.
func (k kind) String() string {
	switch k {
	case eof:
		return "the end of the file"
	case ident:
		return "a name"
	case str:
		return "a string"
	case num, bigint:
		return "a number"
	case template:
		return "a template literal"
	case arrow:
		return `"=>"`
	case ellipsis:
		return `"..."`
	}
	return strconv.Quote(string(k))
}

// A token is one lexical element.
type token struct {
	kind       kind
	start, end int    // offsets
	newline    bool   // a line break stands before it
	doc        span   // the last doc comment before it
	text       string // of a name or number, as written; of a string or template, decoded
}

// A span is a piece of the source; the zero span is none.
type span struct{ start, end int }

// A failure says why scanning or parsing cannot continue. It is the value of a panic, which Parse recovers.
type failure struct {
	off     int
	msg     string
	verdict verdict
}

// A verdict is what is known about the source at a failure.
type verdict int

const (
	// invalid: the message is final.
	invalid verdict = iota
	// unexpected: the parser cannot continue, because the source is not TypeScript or uses something that the
	// parser does not know.
	unexpected
	// unsupported: the parser knows the construct and does not accept it.
	unsupported
)

// A scanner splits a source into tokens. The current one is tok. A copy of a scanner is a place
// to come back to.
type scanner struct {
	src  string
	off  int // where the next token is looked for
	tok  token
	last int // where the token before tok ends
}

// fail ends the scan or parse with a message about the source at an offset.
func (s *scanner) fail(off int, format string, args ...any) {
	panic(failure{off, fmt.Sprintf(format, args...), invalid})
}

// next reads the next token.
func (s *scanner) next() {
	prev := s.tok
	s.tok = token{}
	s.last = prev.end
	s.skipSpace(prev.kind)
	s.tok.start = s.off
	if s.off >= len(s.src) {
		s.tok.kind = eof
	} else {
		s.scan(s.src[s.off])
	}
	s.tok.end = s.off
}

// scan reads the token that begins with c.
func (s *scanner) scan(c byte) {
	switch {
	case isIdentByte(c) && !isDigit(c), c >= utf8.RuneSelf:
		s.scanName()
	case isDigit(c), c == '.' && s.off+1 < len(s.src) && isDigit(s.src[s.off+1]):
		s.scanNumber()
	case c == '"' || c == '\'':
		s.tok.kind = str
		s.tok.text = s.scanQuoted(c, "string")
	case c == '`':
		s.tok.kind = template
		s.tok.text = s.scanQuoted(c, "template literal")
	case c == '\\':
		s.fail(s.off, "escapes in names are not supported in a schema")
	case strings.HasPrefix(s.src[s.off:], "=>"):
		s.tok.kind = arrow
		s.off += len("=>")
	case strings.HasPrefix(s.src[s.off:], "..."):
		s.tok.kind = ellipsis
		s.off += len("...")
	default:
		s.tok.kind = kind(c)
		s.off++
	}
}

// skipSpace skips white space and comments, and remembers the last doc comment. A doc comment that
// follows a token on its line, and ends the line, is about that token and not the next.
func (s *scanner) skipSpace(prev kind) {
	trailing, brokenAfterDoc := false, false
loop:
	for s.off < len(s.src) {
		rest := s.src[s.off:]
		if n := lineBreak(rest); n > 0 {
			s.tok.newline, brokenAfterDoc = true, true
			s.off += n
			continue
		}
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			s.off++
		case strings.HasPrefix(rest, "//"):
			for s.off < len(s.src) && lineBreak(s.src[s.off:]) == 0 {
				s.off++
			}
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				s.fail(s.off, "this comment has no end: */ is missing")
			}
			text := rest[:2+n+2]
			if isDocComment(text) {
				s.tok.doc = span{s.off, s.off + len(text)}
				trailing, brokenAfterDoc = !s.tok.newline && endsPhrase(prev), false
			}
			if strings.ContainsAny(text, "\n\r\u2028\u2029") {
				s.tok.newline = true
			}
			s.off += len(text)
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(rest)
			if !unicode.Is(unicode.Zs, r) && r != '\ufeff' {
				break loop
			}
			s.off += n
		default:
			break loop
		}
	}
	if trailing && brokenAfterDoc {
		s.tok.doc = span{}
	}
}

// endsPhrase reports whether a token of this kind may end a declaration, a member or a union arm.
func endsPhrase(k kind) bool {
	switch k {
	case ';', ',', '}', ']', ')', '>', ident, str, num, template:
		return true
	}
	return false
}

// isDocComment reports whether a block comment begins with exactly two stars.
func isDocComment(text string) bool {
	return len(text) > len("/**/") && text[2] == '*' && text[3] != '*'
}

// scanName reads a name or keyword.
func (s *scanner) scanName() {
	start := s.off
	for s.off < len(s.src) {
		if c := s.src[s.off]; c < utf8.RuneSelf {
			if !isIdentByte(c) {
				break
			}
			s.off++
			continue
		}
		r, n := utf8.DecodeRuneInString(s.src[s.off:])
		if !isIdentRune(r, s.off == start) {
			break
		}
		s.off += n
	}
	if s.off == start { // a character that is no part of any token
		r, n := utf8.DecodeRuneInString(s.src[s.off:])
		s.tok.kind = kind(r)
		s.off += n
		return
	}
	s.tok.kind = ident
	s.tok.text = s.src[start:s.off]
	if s.off < len(s.src) && s.src[s.off] == '\\' {
		s.fail(s.off, "escapes in names are not supported in a schema")
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isIdentByte reports whether an ASCII character is allowed in a name.
func isIdentByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || isDigit(c)
}

// isIdentRune reports whether a character outside ASCII is allowed in a name.
func isIdentRune(r rune, first bool) bool {
	if unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r) {
		return true
	}
	return !first && (unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) ||
		r == '\u200c' || r == '\u200d')
}

// scanNumber reads a numeric literal.
func (s *scanner) scanNumber() {
	start := s.off
	s.tok.kind = num
	switch {
	case s.hasPrefixFold("0x"):
		s.scanDigits(16)
	case s.hasPrefixFold("0o"):
		s.scanDigits(8)
	case s.hasPrefixFold("0b"):
		s.scanDigits(2)
	default:
		s.scanDecimal()
	}
	if s.off < len(s.src) && s.src[s.off] == 'n' {
		s.tok.kind = bigint
		s.off++
	}
	s.tok.text = s.src[start:s.off]
	if s.off < len(s.src) {
		r, _ := utf8.DecodeRuneInString(s.src[s.off:])
		if isIdentByte(s.src[s.off]) || r >= utf8.RuneSelf && isIdentRune(r, true) {
			s.fail(start, "a number cannot be followed by %q", string(r))
		}
	}
}

// hasPrefixFold consumes a prefix that is written in either case.
func (s *scanner) hasPrefixFold(prefix string) bool {
	n := len(prefix)
	if len(s.src)-s.off < n || !strings.EqualFold(s.src[s.off:s.off+n], prefix) {
		return false
	}
	s.off += n
	return true
}

// scanDecimal reads a number without a base prefix.
func (s *scanner) scanDecimal() {
	start := s.off
	if s.src[s.off] != '.' {
		s.scanDigits(10)
		if s.src[start] == '0' && s.off > start+1 {
			s.fail(start, "a number cannot begin with 0: write 0o for an octal number")
		}
	}
	if s.off < len(s.src) && s.src[s.off] == '.' {
		s.off++
		if s.off < len(s.src) && isDigit(s.src[s.off]) {
			s.scanDigits(10)
		}
	}
	if s.hasPrefixFold("e") {
		if s.off < len(s.src) && (s.src[s.off] == '+' || s.src[s.off] == '-') {
			s.off++
		}
		s.scanDigits(10)
	}
}

// scanDigits reads one or more digits, which single underscores may separate.
func (s *scanner) scanDigits(base int) {
	last := byte('_')
	for ; s.off < len(s.src); s.off++ {
		c := s.src[s.off]
		if c == '_' && last == '_' || c != '_' && digitValue(c) >= base {
			break
		}
		last = c
	}
	if last == '_' {
		s.fail(s.off, "expected a digit")
	}
}

func digitValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return 16
}

// continueTemplate continues a template literal after the type in ${ }. The scanner is at the closing brace.
func (s *scanner) continueTemplate() {
	s.off = s.tok.start
	s.tok = token{kind: template, start: s.off}
	s.tok.text = s.scanQuoted('`', "template literal")
	s.tok.end = s.off
}

// templateOpen reports whether the current template token ended in ${ and not in a backquote.
func (s *scanner) templateOpen() bool { return s.src[s.tok.end-1] == '{' }

// scanQuoted reads from the character after the current one to the closing quote, and decodes the
// escapes. A template also ends at ${.
func (s *scanner) scanQuoted(quote byte, what string) string {
	start := s.off
	s.off++
	from := s.off // what is not copied yet
	var b strings.Builder
	for s.off < len(s.src) {
		switch c := s.src[s.off]; {
		case c == quote:
			text := s.src[from:s.off]
			s.off++
			if b.Len() == 0 {
				return text
			}
			return b.String() + text
		case c == '$' && quote == '`' && strings.HasPrefix(s.src[s.off:], "${"):
			b.WriteString(s.src[from:s.off])
			s.off += len("${")
			return b.String()
		case c == '\\':
			b.WriteString(s.src[from:s.off])
			s.scanEscape(&b)
			from = s.off
		case c == '\r' && quote == '`': // a template's line breaks are all \n
			b.WriteString(s.src[from:s.off])
			b.WriteByte('\n')
			s.off += lineBreak(s.src[s.off:])
			from = s.off
		case (c == '\n' || c == '\r') && quote != '`':
			s.fail(start, "this %s has no end: %c is missing", what, quote)
		default:
			s.off++
		}
	}
	s.fail(start, "this %s has no end: %c is missing", what, quote)
	return ""
}

// scanEscape decodes one escape sequence.
func (s *scanner) scanEscape(b *strings.Builder) {
	start := s.off
	s.off++
	if s.off >= len(s.src) {
		return // the missing quote is reported
	}
	if n := lineBreak(s.src[s.off:]); n > 0 {
		s.off += n
		return
	}
	r, n := utf8.DecodeRuneInString(s.src[s.off:])
	s.off += n
	switch r {
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'v':
		b.WriteByte('\v')
	case 'x':
		b.WriteRune(s.scanHex(start, 2))
	case 'u':
		b.WriteRune(s.scanUnicodeEscape(start))
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if r != '0' || s.off < len(s.src) && isDigit(s.src[s.off]) {
			s.fail(start, `octal escapes are not allowed: write \x and two hexadecimal digits`)
		}
		b.WriteByte(0)
	default:
		b.WriteRune(r)
	}
}

// scanUnicodeEscape reads what follows \u, and joins surrogate pairs.
func (s *scanner) scanUnicodeEscape(start int) rune {
	if s.off < len(s.src) && s.src[s.off] == '{' {
		s.off++
		r, digits := rune(0), 0
		for ; s.off < len(s.src) && digitValue(s.src[s.off]) < 16 && r <= unicode.MaxRune; s.off++ {
			r = r<<4 | rune(digitValue(s.src[s.off]))
			digits++
		}
		if digits == 0 || s.off >= len(s.src) || s.src[s.off] != '}' || !utf8.ValidRune(r) {
			s.fail(start, "this escape is not a Unicode character")
		}
		s.off++
		return r
	}
	r := s.scanHex(start, 4)
	if 0xd800 <= r && r < 0xdc00 && strings.HasPrefix(s.src[s.off:], `\u`) {
		s.off += len(`\u`)
		low := s.scanHex(start, 4)
		if 0xdc00 <= low && low < 0xe000 {
			return (r-0xd800)<<10 | (low - 0xdc00) + 0x10000
		}
	}
	if !utf8.ValidRune(r) {
		s.fail(start, "half of a surrogate pair is not a Unicode character")
	}
	return r
}

// scanHex reads n hexadecimal digits.
func (s *scanner) scanHex(start, n int) rune {
	r := rune(0)
	for range n {
		if s.off >= len(s.src) || digitValue(s.src[s.off]) >= 16 {
			s.fail(start, "this escape needs %d hexadecimal digits", n)
		}
		r = r<<4 | rune(digitValue(s.src[s.off]))
		s.off++
	}
	return r
}
