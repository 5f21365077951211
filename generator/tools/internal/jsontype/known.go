package jsontype

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// knownKind returns the kind of a type that has a special form in JSON.
func knownKind(t types.Type) (ir.Kind, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return 0, false
	}
	switch n.Obj().Pkg().Path() + "." + n.Obj().Name() {
	case "time.Time":
		return ir.Time, true
	case "time.Duration":
		return ir.Duration, true
	case "net/url.URL":
		return ir.URL, true
	case "math/big.Int":
		return ir.BigInt, true
	case "encoding/json.Number":
		return ir.Number, true
	case "encoding/json.RawMessage", "github.com/mcpgen/mcpgen/runtime/wire.Raw":
		return ir.Raw, true
	}
	return 0, false
}
