package seal

import (
	"bytes"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Canonical returns the same text for values that differ only in white space, the order of members, and escapes, as
// values do after a client has decoded and encoded them. A value with a duplicate member, which can be read in more than
// one way, equals only the same text.
func Canonical(raw wire.Raw) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	text, err := json.Marshal(v)
	if err != nil || countMembers(text) != countMembers(raw) {
		return raw
	}
	return text
}

// countMembers returns how many members the objects of a JSON text have.
func countMembers(text []byte) (n int) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ':' && !quoted:
			n++
		}
	}
	return n
}
