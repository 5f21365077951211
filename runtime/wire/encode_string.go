package wire

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// String writes a string. Invalid UTF-8 is replaced by U+FFFD.
func (e *Encoder) String(s string) {
	if n := plainLen(s); n < len(s) {
		e.buf = appendEscaped(e.buf, s, n)
		return
	}
	b := append(e.buf, '"')
	b = append(b, s...)
	e.buf = append(b, '"')
}

// appendEscaped appends s, whose first n bytes need no escapes.
func appendEscaped(dst []byte, s string, n int) []byte {
	b := slices.Grow(dst, len(s)+len(s)/8+32)
	at := len(b)
	b = b[:cap(b)]
	b[at] = '"'
	at += 1 + copy(b[at+1:], s[:n])
	s = s[n:]
	for len(s) > 0 {
		// The next character takes up to 6 bytes, the others at least as many as they have now, and copying
		// them by words may touch 8 more.
		if at+len(s)+14 > len(b) {
			b = slices.Grow(b[:at], len(s)+len(s)/4+64)
			b = b[:cap(b)]
		}
		switch c := s[0]; {
		case c == '"' || c == '\\':
			b[at], b[at+1] = '\\', c
			at, s = at+2, s[1:]
		case c < ' ':
			at += putControl(b[at:], c)
			s = s[1:]
		case c < utf8.RuneSelf:
			b[at] = c
			at, s = at+1, s[1:]
		case runeLen(s) == 2:
			b[at], b[at+1] = c, s[1]
			at, s = at+2, s[2:]
		default:
			r, size := utf8.DecodeRuneInString(s) // U+FFFD for a byte that is not valid
			at += utf8.EncodeRune(b[at:], r)
			s = s[size:]
		}
		for len(s) >= 8 {
			x := load(s, 0)
			binary.LittleEndian.PutUint64(b[at:], x)
			if m := special(x) & high; m != 0 {
				k := bits.TrailingZeros64(m) >> 3
				at, s = at+k, s[k:]
				break
			}
			at, s = at+8, s[8:]
		}
	}
	return append(b[:at], '"')
}

// putControl writes the escape of a control character.
func putControl(b []byte, c byte) int {
	b[0] = '\\'
	switch c {
	case '\b':
		b[1] = 'b'
	case '\f':
		b[1] = 'f'
	case '\n':
		b[1] = 'n'
	case '\r':
		b[1] = 'r'
	case '\t':
		b[1] = 't'
	default:
		const hex = "0123456789abcdef"
		copy(b[1:], "u00")
		b[4], b[5] = hex[c>>4], hex[c&15]
		return 6
	}
	return 2
}
