package wire

import "unicode/utf8"

// skipSpace returns the index of the first byte of b, from i on, that is not white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// scanString validates the string whose text begins at i, after the opening quote. It returns the index of the closing
// quote and whether there are escapes before it or, if not ok, the index of what is wrong.
func scanString(b []byte, i int) (end int, escaped, ok bool) {
	for {
		if i += plainLen(text(b[i:])); i >= len(b) {
			return i, escaped, false
		}
		switch c := b[i]; {
		case c == '"':
			return i, escaped, true
		case c == '\\':
			n := escapeLen(b[i:])
			if n == 0 {
				return i, escaped, false
			}
			escaped = true
			i += n
		default: // the length of a control character is 0
			n := runeLen(text(b[i:]))
			if n == 0 {
				return i, escaped, false
			}
			i += n
		}
	}
}

// runeLen returns the length of the UTF-8 sequence beyond ASCII that s begins with, or 0 if it is invalid.
func runeLen(s string) int {
	if len(s) >= 2 && s[0] >= 0xc2 && s[0] < 0xe0 && s[1]&0xc0 == 0x80 {
		return 2 // the most frequent case
	}
	if _, n := utf8.DecodeRuneInString(s); n > 1 {
		return n
	}
	return 0
}

// escapeLen returns the length of the escape that b begins with, or 0 if it is invalid.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b); ok {
			return 6
		}
	}
	return 0
}

// hex4 returns the number that b denotes, which begins with \u.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 6 {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// scanNumber returns the end of the number that begins at i, and whether it is written as an integer, without fraction
// and exponent. If not ok, there is no number, and end is the index of what is wrong.
func scanNumber(b []byte, i int) (end int, integer, ok bool) {
	integer = true
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	case i < len(b) && isDigit(b[i]):
		i = skipDigits(b, i)
	default:
		return i, false, false
	}
	if i < len(b) && b[i] == '.' {
		integer = false
		if i++; i >= len(b) || !isDigit(b[i]) {
			return i, false, false
		}
		i = skipDigits(b, i)
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		integer = false
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i >= len(b) || !isDigit(b[i]) {
			return i, false, false
		}
		i = skipDigits(b, i)
	}
	return i, integer, true
}

func isDigit(c byte) bool { return c-'0' < 10 }

func skipDigits(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}
