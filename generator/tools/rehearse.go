package tools

import (
	"context"

	"github.com/mcpgen/mcpgen/generator/tools/internal/emit"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/apps"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Rehearse returns the tools of the package as generated code registers them, with handlers that read and check the
// arguments of a call by the same rules, with the same errors. Then they call read in place of the function. Methods of the
// package's own types, and of others that are not in the standard library, are not called: unread names the types whose
// values the call has, and which the function could yet refuse.
func (p *Package) Rehearse(read func(tool string, unread []string) (*mcp.CallToolResult, error)) []server.Item {
	var all []server.Item
	for _, t := range p.ir.Tools {
		item := server.Item{
			Definition: protocolTool(t),
			Handler: func(_ context.Context, _ *server.Call, raw wire.Raw) (*mcp.CallToolResult, error) {
				unread, err := emit.Try(t, raw)
				if err != nil {
					return nil, err
				}
				return read(t.Name, unread)
			},
			Access: server.Access{Scopes: t.Scopes, Needs: t.Needs, Groups: t.Groups, Features: t.Features},
		}
		for _, revision := range mcp.Revisions() {
			if revision.String() == t.MinRevision {
				item.Access.MinRevision = revision
			}
		}
		if t.OnlyApps {
			item.Filters = []server.Filter{apps.ForApps()}
		}
		all = append(all, item)
	}
	return all
}

// protocolTool returns the definition of a tool.
func protocolTool(t *ir.Tool) *mcp.Tool {
	d := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: wire.Raw(schema.Input(t)), OutputSchema: wire.Raw(schema.Output(t)),
	}
	if t.Task != "" {
		d.Execution = &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupport(t.Task)}
	}
	for _, icon := range t.Icons {
		d.Icons = append(d.Icons, mcp.Icon{Src: icon.Src, MIMEType: icon.MIMEType, Sizes: icon.Sizes, Theme: mcp.IconTheme(icon.Theme)})
	}
	for _, m := range t.Meta {
		if d.Meta == nil {
			d.Meta = make(mcp.MetaObject)
		}
		d.Meta[m.Key] = wire.Raw(m.JSON)
	}
	if t.ReadOnly != nil || t.Destructive != nil || t.Idempotent != nil || t.OpenWorld != nil {
		d.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: t.ReadOnly, DestructiveHint: t.Destructive, IdempotentHint: t.Idempotent, OpenWorldHint: t.OpenWorld}
	}
	return d
}
