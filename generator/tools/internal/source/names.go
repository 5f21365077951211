package source

import (
	"strings"
	"unicode"
)

// Snake writes a Go name in small letters: GetUserByID is get_user_by_id.
func Snake(name string) string {
	r := []rune(name)
	var b strings.Builder
	for i, c := range r {
		if unicode.IsUpper(c) && i > 0 && r[i-1] != '_' &&
			(!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1]) && !plural(r[i:])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// plural reports whether letters are the last of an initialism with its s, as in URLs.
func plural(r []rune) bool {
	return len(r) >= 2 && r[1] == 's' && (len(r) == 2 || unicode.IsUpper(r[2]))
}

// Exported returns a Go name with a capital first letter.
func Exported(name string) string {
	r := []rune(name)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}
