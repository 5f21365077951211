package constraint

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What . and \s mean in ECMA-262, written for package regexp.
const (
	notLineEnd = `\n\r\x{2028}\x{2029}`
	ecmaSpace  = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
)

// GoPattern translates a regular expression of a JSON Schema, which is one of ECMA-262 with the flag u, for package
// regexp. It accepts only what both support; its error says what to write instead.
func GoPattern(pattern string) (string, error) {
	if !utf8.ValidString(pattern) {
		return "", errors.New("the pattern is no UTF-8")
	}
	t := patternReader{src: pattern}
	for t.i < len(t.src) {
		if err := t.step(); err != nil {
			return "", err
		}
	}
	if _, err := regexp.Compile(pattern); err != nil { // whose message cites the original
		return "", compileError(err)
	}
	if _, err := regexp.Compile(t.out.String()); err != nil {
		return "", compileError(err)
	}
	return t.out.String(), nil
}

func compileError(err error) error {
	var s *syntax.Error
	if errors.As(err, &s) {
		return fmt.Errorf("the pattern is not a regular expression: %s at %s", s.Code, s.Expr)
	}
	return err
}

// A patternReader reads a pattern once, from left to right.
type patternReader struct {
	src       string
	i         int
	out       strings.Builder
	assertion bool // what was just read cannot be repeated
}

// step translates what comes next: a character, an escape, a class, or what begins a group or repeats something. Go
// allows an assertion to be repeated, and ECMA-262 with the flag u does not.
func (t *patternReader) step() error {
	rest := t.src[t.i:]
	was := t.assertion
	t.assertion = false
	switch c := rest[0]; c {
	case '\\':
		return t.escape()
	case '[':
		return t.class()
	case '.':
		t.write(1, "[^"+notLineEnd+"]")
		return nil
	case '(':
		return t.group()
	case '^', '$':
		t.assertion = true
	case '*', '+', '?':
		if was {
			return fmt.Errorf("%c repeats what has no width", c)
		}
	case '{':
		n := counted.FindString(rest)
		if n == "" {
			return errors.New(`a { that is no count is written \{`)
		}
		if was {
			return fmt.Errorf("%s repeats what has no width", n)
		}
		t.write(len(n), n)
		return nil
	case '}', ']':
		return fmt.Errorf(`a %c of its own is written \%c`, c, c)
	}
	_, size := utf8.DecodeRuneInString(rest)
	t.write(size, rest[:size])
	return nil
}

var counted = regexp.MustCompile(`^\{[0-9]{1,4}(,[0-9]{0,4})?\}`)

// write consumes n bytes and writes their translation.
func (t *patternReader) write(n int, translation string) {
	t.i += n
	t.out.WriteString(translation)
}

// group reads the beginning of a group.
func (t *patternReader) group() error {
	rest := t.src[t.i:]
	switch {
	case !strings.HasPrefix(rest, "(?"):
		t.write(1, "(")
	case strings.HasPrefix(rest, "(?:"):
		t.write(3, "(?:")
	case strings.HasPrefix(rest, "(?P<"):
		return errors.New("JavaScript writes (?<name>…) for (?P<name>…)")
	case strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!") || strings.HasPrefix(rest, "(?<=") || strings.HasPrefix(rest, "(?<!"):
		//lint:ignore ST1005 Go is a name
		return errors.New("Go has no lookahead and no lookbehind")
	case strings.HasPrefix(rest, "(?<"):
		t.write(3, "(?<")
		if end := strings.IndexByte(rest, '>'); end >= 0 {
			t.write(end-2, rest[3:end+1])
		}
	default:
		return errors.New("JavaScript has no flags such as (?i) inside a pattern; spell out both cases: [Aa]")
	}
	return nil
}

// escape reads a backslash with what follows it, outside a class.
func (t *patternReader) escape() error {
	rest := t.src[t.i:]
	if len(rest) < 2 {
		return errors.New(`a backslash at the end escapes nothing; write \\`)
	}
	switch c := rest[1]; {
	case strings.IndexByte("dDwW", c) >= 0:
		t.write(2, rest[:2])
	case c == 'b' || c == 'B':
		t.assertion = true
		t.write(2, rest[:2])
	case c == 's':
		t.write(2, "["+ecmaSpace+"]")
	case c == 'S':
		t.write(2, "[^"+ecmaSpace+"]")
	case strings.IndexByte(`^$\.*+?()[]{}|/`, c) >= 0:
		t.write(2, rest[:2])
	default:
		return t.character()
	}
	return nil
}

// character reads an escape that means the same inside and outside of a class.
func (t *patternReader) character() error {
	rest := t.src[t.i:]
	switch c := rest[1]; {
	case strings.IndexByte("fnrtv", c) >= 0:
		t.write(2, rest[:2])
	case c == 'x':
		h := hexByte.FindString(rest)
		if h == "" {
			return errors.New(`JavaScript's \x has two hexadecimal digits; write the character itself`)
		}
		t.write(4, h)
	case c == 'p' || c == 'P':
		m := property.FindStringSubmatch(rest)
		if m == nil {
			return errors.New(`JavaScript writes \p{L} for \pL and \P{L} for \p{^L}`)
		}
		if _, ok := unicode.Categories[m[1]]; !ok || len(m[1]) > 2 {
			//lint:ignore ST1005 Go is a name
			return fmt.Errorf(`Go and JavaScript share the general categories only, such as \p{L} or \p{Lu}, not \%c{%s}`, c, m[1])
		}
		t.write(len(m[0]), m[0])
	case c == 'A':
		return errors.New(`JavaScript writes ^ for \A`)
	case c == 'z':
		return errors.New(`JavaScript writes $ for \z`)
	case c == 'Q':
		return errors.New(`JavaScript has no \Q; escape each character`)
	case c >= '0' && c <= '9':
		return fmt.Errorf(`\%c is a back reference or an octal number; Go has no back references, and JavaScript no octal numbers`, c)
	case c < utf8.RuneSelf && !isWord(c):
		return fmt.Errorf(`JavaScript has no \%c; write %c alone`, c, c)
	default:
		r, _ := utf8.DecodeRuneInString(rest[1:])
		//lint:ignore ST1005 Go is a name
		return fmt.Errorf(`Go and JavaScript share no \%c`, r)
	}
	return nil
}

func isWord(c byte) bool {
	return c == '_' || c-'0' <= 9 || (c|0x20)-'a' <= 25
}

var (
	hexByte  = regexp.MustCompile(`^\\x[0-9A-Fa-f]{2}`)
	property = regexp.MustCompile(`^\\[pP]\{([A-Za-z_]+)\}`)
)

// class reads a class in brackets.
func (t *patternReader) class() error {
	t.write(1, "[")
	if strings.HasPrefix(t.src[t.i:], "^") {
		t.write(1, "^")
	}
	if strings.HasPrefix(t.src[t.i:], "]") {
		return errors.New(`a ] inside brackets is written \]`)
	}
	set := false // what was just read is a set such as \d, which cannot begin or end a range
	for t.i < len(t.src) {
		rest := t.src[t.i:]
		wasSet := set
		set = false
		switch c := rest[0]; {
		case c == ']':
			t.write(1, "]")
			return nil
		case strings.HasPrefix(rest, "[:"):
			return errors.New("JavaScript has no classes such as [:alpha:]; write a-zA-Z")
		case c == '[':
			t.write(1, `\[`)
		case c == '-' && len(rest) > 1 && rest[1] != ']' && (wasSet || isSet(rest[1:])):
			return errors.New(`a - beside a class such as \d is written \-`)
		case c == '\\' && len(rest) > 1 && isSet(rest):
			set = true
			switch rest[1] {
			case 's':
				t.write(2, ecmaSpace)
			case 'S':
				return errors.New(`\S cannot stand in brackets; write [^\s…] or an alternative`)
			case 'p', 'P':
				if err := t.character(); err != nil {
					return err
				}
			default:
				t.write(2, rest[:2])
			}
		case c == '\\' && len(rest) > 1 && strings.IndexByte(`^$\.*+?()[]{}|/-`, rest[1]) >= 0:
			t.write(2, rest[:2])
		case c == '\\' && len(rest) > 1:
			if err := t.character(); err != nil {
				return err
			}
		default:
			_, size := utf8.DecodeRuneInString(rest)
			t.write(size, rest[:size])
		}
	}
	return errors.New("the pattern has a [ without its ]")
}

// isSet reports whether a text begins with an escape for several characters.
func isSet(s string) bool {
	return len(s) > 1 && s[0] == '\\' && strings.IndexByte("dDwWsSpP", s[1]) >= 0
}
