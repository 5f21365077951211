package valid

import "strings"

// ExtensionID reports whether id is a metadata key with a prefix: labels separated by dots, a slash,
// and a name.
//
// REQ EXT-01, META-03, META-04
func ExtensionID(id string) bool {
	prefix, name, ok := strings.Cut(id, "/")
	if !ok {
		return false
	}
	for label := range strings.SplitSeq(prefix, ".") {
		if !isName(label, "-") || !isLetter(label[0]) {
			return false
		}
	}
	return isName(name, "-_.")
}

// isName reports whether s has only letters and digits, and between them also the bytes of inner.
//
// REQ EXT-01, META-03, META-04
func isName(s, inner string) bool {
	if s == "" || !isAlnum(s[0]) || !isAlnum(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte(inner, s[i]) < 0 {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isAlnum(c byte) bool  { return isLetter(c) || '0' <= c && c <= '9' }
