package toolset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// maxNamed is how many tools or groups a header may name.
const maxNamed = 200

// FromHeaders returns a filter by which a client chooses among the items that the server offers it, in the headers of its
// HTTP requests: with the prefix X-MCP,
//
//	X-MCP-Tools: file_get, issue_*    of all tools these only; patterns as those of [path.Match]
//	X-MCP-Groups: files               of all groups these only, in addition to items without a group
//	X-MCP-Readonly: true              only tools that declare that they change nothing
//
// What is in several headers must fit all of them. A header makes a list shorter, never longer, so it needs no protection:
// it is a convenience for clients that can use few tools, and no promise about what their users may do. With a header of more
// than 200 names, or another value for Readonly than true and false, lists are empty, and requests that name an item fail.
func FromHeaders(prefix string) server.Filter {
	return server.Filter{Admit: func(_ context.Context, c *server.Call, i *server.Item) (bool, error) {
		h := c.Header()
		if h == nil {
			return true, nil
		}
		named := func(header string) (names []string, given bool, err error) {
			for _, value := range h.Values(header) {
				given = true
				for name := range strings.SplitSeq(value, ",") {
					if name = strings.TrimSpace(name); name != "" {
						names = append(names, name)
					}
				}
			}
			if len(names) > maxNamed {
				err = wrong(header, fmt.Sprintf("want at most %d names, got %d", maxNamed, len(names)))
			}
			return names, given, err
		}
		groups, given, err := named(prefix + "-Groups")
		if err != nil {
			return false, err
		}
		in := func(group string) bool { return slices.Contains(groups, group) }
		if given && len(i.Access.Groups) > 0 && !slices.ContainsFunc(i.Access.Groups, in) {
			return false, nil
		}
		tool, ok := i.Definition.(*mcp.Tool)
		if !ok {
			return true, nil
		}
		switch value := strings.ToLower(strings.TrimSpace(strings.Join(h.Values(prefix+"-Readonly"), ","))); value {
		case "", "false":
		case "true":
			if !tool.Annotations.GetReadOnlyHint() {
				return false, nil
			}
		default:
			return false, wrong(prefix+"-Readonly", "want true or false")
		}
		tools, given, err := named(prefix + "-Tools")
		if err != nil {
			return false, err
		}
		return !given || matches(tools, tool.Name), nil
	}}
}

// wrong returns the error for a header.
func wrong(header, why string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "header " + header + ": " + why}
}
