package wire

import "math/bits"

// Strings are scanned eight bytes at a time, all eight in one integer.
const (
	low  = 0x0101010101010101 // 1 in each byte
	high = 0x8080808080808080 // the highest bit of each byte
)

// special returns a number whose lowest bit among those of high marks the first byte of x that cannot be in a JSON
// string as it is: a quote, a backslash, a control character, or a byte that is not ASCII and has to be validated. If
// there is none, no bit of high is set.
//
// A quote (0x22) with bit 1 flipped is 0x20, and control characters stay below that, so that one comparison with 0x21
// finds both. Borrows affect only the bytes above the first one found.
func special(x uint64) uint64 {
	return ((x ^ low*2) - low*0x21) | ((x ^ low*'\\') - low) | x
}

// load returns the eight bytes of s at i. The compiler makes one load of it.
func load(s string, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// plainLen returns how many bytes of s can be in a JSON string as they are, before the first that cannot (see special).
// It looks at one word first, because most strings are short, and then at four at once. Reslicing s instead of
// counting up saves the bounds checks.
func plainLen(s string) int {
	n := len(s)
	if len(s) >= 8 {
		if m := special(load(s, 0)) & high; m != 0 {
			return bits.TrailingZeros64(m) >> 3
		}
		s = s[8:]
	}
	for len(s) >= 32 {
		if (special(load(s, 0))|special(load(s, 8))|special(load(s, 16))|special(load(s, 24)))&high != 0 {
			break
		}
		s = s[32:]
	}
	for len(s) >= 8 {
		if m := special(load(s, 0)) & high; m != 0 {
			return n - len(s) + bits.TrailingZeros64(m)>>3
		}
		s = s[8:]
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return n - len(s) + i
		}
	}
	return n
}
