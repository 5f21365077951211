package analyze

import (
	"go/types"
	"strings"
)

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
