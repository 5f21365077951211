package signature

import (
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// injectedKind returns how a parameter gets its value, if not from the arguments.
func injectedKind(t types.Type) ir.Injected {
	if named(t) == "context.Context" {
		return ir.Context
	}
	switch pointerTo(t) {
	case pathServer + ".Call":
		return ir.Call
	case pathServer + ".Progress":
		return ir.Progress
	case "log/slog.Logger":
		return ir.Logger
	case pathGoSDK + ".CallToolRequest", pathGoSDK + ".GetPromptRequest", pathGoSDK + ".ReadResourceRequest", pathGoSDK + ".ServerRequest":
		return ir.GoSDKRequest
	}
	return ir.NotInjected
}

// requests holds the types that servers of the Go SDK pass to functions, by directive.
var requests = map[string]string{"tool": "CallToolRequest", "prompt": "GetPromptRequest", "resource": "ReadResourceRequest"}

// namesRequest reports whether a type is one of these.
func namesRequest(t types.Type) bool {
	for _, name := range requests {
		if pointerTo(t) == pathGoSDK+"."+name {
			return true
		}
	}
	return false
}

// nearMiss returns what a function should take in place of a parameter that no client can fill in, but whose type
// resembles one that is injected; "" for all other types.
func nearMiss(t types.Type) string {
	name := strings.TrimLeft(typeShape(t), "*")
	switch name {
	case pathServer + ".Call", pathServer + ".Progress", "log/slog.Logger", pathGoSDK + ".CallToolRequest":
		return "take it by its pointer, *" + name[strings.LastIndex(name, "/")+1:]
	case "context.Context":
		return "take it without a pointer, context.Context"
	case "net/http.Request", "net/http.Header":
		return "a tool is called over any transport; take *server.Call, whose Header has the headers of HTTP"
	case "net/http.ResponseWriter":
		return "what a function returns is the response; return it"
	case pathMCP + ".MetaObject", pathMCP + ".RequestMetaObject", pathGoSDK + ".Meta":
		return "take *server.Call, whose Meta has the metadata of the request"
	case pathMCP + ".CallToolRequest", pathMCP + ".CallToolRequestParams", pathGoSDK + ".CallToolParams":
		return "each argument is a parameter of its own; take *server.Call for the rest of the call"
	case "net/http.Client", "database/sql.DB", "database/sql.Tx", "log.Logger", "os.File", pathServer + ".Server", pathServer + ".Session":
		return "no client can send one; make it a field of a type, and the function a method of that type"
	}
	return ""
}
