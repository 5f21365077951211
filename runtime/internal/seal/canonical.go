package seal

import (
	"github.com/mcpgen/mcpgen/runtime/internal/tree"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Canonical returns the same text for values that differ only in white space, the order of members, and escapes, as
// values do after a client has decoded and encoded them. A value with a duplicate member, which can be read in more than
// one way, equals only the same text.
func Canonical(raw wire.Raw) []byte {
	v, err := tree.Decode(raw)
	if err != nil {
		return raw
	}
	text, _ := tree.Encode(v) // whatever was decoded can be encoded
	return text
}
