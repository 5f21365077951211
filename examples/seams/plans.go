package seams

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/server"
)

// Plans returns a filter for items whose Access names Features: a caller sees and may use those of its plan. Has reports
// whether the plan of a principal includes a feature.
func Plans(has func(principal, feature string) bool) server.Filter {
	return server.Filter{
		Concerns: func(i *server.Item) bool { return len(i.Access.Features) > 0 },
		Admit: func(_ context.Context, c *server.Call, i *server.Item) (show bool, refuse error) {
			return i.Access.Offered(func(feature string) bool { return has(c.Principal(), feature) }), nil
		},
	}
}
