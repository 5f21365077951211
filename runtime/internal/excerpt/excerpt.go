// Package excerpt shortens foreign text for error messages and logs.
package excerpt

import "unicode/utf8"

const (
	// most is how many bytes of one foreign value a message repeats.
	most = 200
	// MaxMessage is how many bytes a message may have, or a quoted value of a log record.
	MaxMessage = 16 << 10
)

// Of returns the beginning of a value, for a message.
func Of(s string) string { return Cut(s, most) }

// Cut returns s, shortened to n bytes and an ellipsis if it is longer.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
