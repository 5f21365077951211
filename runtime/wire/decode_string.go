package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// String reads a string.
func (d *Decoder) String() string {
	i := d.next()
	if i >= len(d.data) || d.data[i] != '"' {
		d.want("string", i)
		return ""
	}
	i++
	end, escaped, ok := scanString(d.data, i)
	if !ok {
		d.badString(end)
		return ""
	}
	d.pos = end + 1
	if escaped {
		return unescape(d.data[i:end])
	}
	return text(d.data[i:end])
}

// StringOrNull reads a string, or a null as the empty string.
func (d *Decoder) StringOrNull() string {
	if d.Null() {
		return ""
	}
	return d.String()
}

// badString fails because of what scanString found at i.
func (d *Decoder) badString(i int) {
	switch {
	case i >= len(d.data):
		d.fail(i, "the string is not closed at the end of the input")
	case d.data[i] == '\\':
		d.fail(i, "invalid escape in a string"+at(i))
	case d.data[i] < ' ':
		d.fail(i, "control character 0x"+strconv.FormatUint(uint64(d.data[i]), 16)+" in a string, where it must be escaped,"+at(i))
	default:
		d.fail(i, "invalid UTF-8 in a string"+at(i))
	}
}

// unescape returns the string that b denotes, the valid text between two quotes. Half a surrogate pair becomes
// U+FFFD, as in encoding/json.
func unescape(b []byte) string {
	dst := make([]byte, len(b)) // no escape is shorter than its character
	n, i := 0, 0
	for {
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			binary.LittleEndian.PutUint64(dst[n:], x)
			x ^= low * '\\'
			if m := (x - low) & ^x & high; m != 0 {
				k := bits.TrailingZeros64(m) >> 3
				i, n = i+k, n+k
				break
			}
			i, n = i+8, n+8
		}
		for i < len(b) && b[i] != '\\' {
			dst[n] = b[i]
			i, n = i+1, n+1
		}
		if i >= len(b) {
			break
		}
		c := b[i+1]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := hex4(b[i:])
			i += 6
			if utf16.IsSurrogate(r) {
				second := rune(-1)
				if bytes.HasPrefix(b[i:], []byte(`\u`)) {
					second, _ = hex4(b[i:])
				}
				if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
					i += 6
				}
			}
			n += utf8.EncodeRune(dst[n:], r)
			continue
		}
		dst[n] = c
		i, n = i+2, n+1
	}
	if n < len(dst)/2 {
		return string(dst[:n]) // do not keep memory that is mostly unused
	}
	return text(dst[:n])
}
