// Package features puts every feature of the protocol into a server: what a server can offer, what
// a tool can return, how a handler asks the client, and so on. Each file has one area, and each
// feature is written once for all revisions. What clients may expect of it is in interop/README.md.
package features

import (
	"context"
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
)

// everything is the server with what it has to know for its features. What it observes is what its
// clients did, all of them.
type everything struct {
	*server.Server
	seen observed
}

// NewServer returns a server of that name with every feature. It sets those of the options that the
// features need.
func NewServer(info mcp.Implementation, opts server.Options) (*server.Server, error) {
	e := new(everything)
	opts.Instructions = "Every tool tries one feature of the protocol and says what came of it."
	opts.Logging = true
	opts.OnSubscribe = maySubscribe
	opts.Setup = append(slices.Clip(opts.Setup), taskserver.Enable(&taskserver.Options{PollInterval: 2 * step}))
	e.Server = server.New(info, &opts)
	return e.Server, errors.Join(e.addTools(), e.addPrompts(), e.addResources(), e.addCompletion(), e.addCustom())
}

// A tool is the definition of a tool, and what carries out its calls.
type tool struct {
	mcp.Tool
	run server.ToolHandler
}

func (e *everything) addTools() error {
	all := slices.Concat(contentTools, structuredTools, timeTools, samplingTools, elicitationTools, inputTools,
		taskTools, e.observationTools(), e.changeTools())
	for _, t := range all {
		if err := e.AddTool(t.Tool, t.run); err != nil {
			return err
		}
	}
	return nil
}

// maySubscribe lets everybody subscribe to everything that can be read.
func maySubscribe(context.Context, *server.Call, string) error { return nil }
