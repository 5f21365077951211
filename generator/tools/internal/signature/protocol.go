package signature

import "go/types"

// The packages whose types have a special meaning.
const (
	pathMCP    = "github.com/mcpgen/mcpgen/mcp"
	pathServer = "github.com/mcpgen/mcpgen/runtime/server"
	pathWire   = "github.com/mcpgen/mcpgen/runtime/wire"
	pathGoSDK  = "github.com/modelcontextprotocol/go-sdk/mcp"
)

// named returns "path.Name" of a named type, or "".
func named(t types.Type) string {
	// An alias may be all that is known by name: CallToolRequest of the Go SDK is one of a generic type.
	if al, ok := t.(*types.Alias); ok && al.Obj().Pkg() != nil && al.Obj().Pkg().Path() == pathGoSDK {
		return pathGoSDK + "." + al.Obj().Name()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// pointerTo returns "path.Name" of what a pointer points to, or "".
func pointerTo(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return named(p.Elem())
	}
	return ""
}

// isProtocol reports whether a type, or what it points to or has as elements, is one of these of our
// protocol package, or of that of the Go SDK.
func isProtocol(t types.Type, ours, theirs string) bool {
	name := typeShape(t)
	return name == shapeOf(ours, pathMCP) || name == shapeOf(theirs, pathGoSDK)
}

// isContent reports whether a type is a kind of content in the protocol, or a whole result, or a
// pointer to it or a list of it.
func isContent(t types.Type) bool {
	for {
		switch u := types.Unalias(t).(type) {
		case *types.Slice:
			t = u.Elem()
			continue
		case *types.Pointer:
			t = u.Elem()
			continue
		case *types.Named:
			p := u.Obj().Pkg()
			if p == nil || p.Path() != pathMCP && p.Path() != pathGoSDK {
				return false
			}
			if u.Obj().Name() == "CallToolResult" {
				return true
			}
			for _, name := range []string{"ContentBlock", "Content"} {
				if block := p.Scope().Lookup(name); block != nil {
					i, ok := block.Type().Underlying().(*types.Interface)
					return ok && (types.Implements(u, i) || types.Implements(types.NewPointer(u), i))
				}
			}
		}
		return false
	}
}

// typeShape writes a type such as []*mcp.Content with the path of its package.
func typeShape(t types.Type) string {
	switch u := types.Unalias(t).(type) {
	case *types.Slice:
		return "[]" + typeShape(u.Elem())
	case *types.Pointer:
		return "*" + typeShape(u.Elem())
	}
	return named(t)
}

// shapeOf puts the path of a package in front of the name in "[]*Content".
func shapeOf(shape, path string) string {
	i := 0
	for i < len(shape) && (shape[i] == '[' || shape[i] == ']' || shape[i] == '*') {
		i++
	}
	return shape[:i] + path + "." + shape[i:]
}
