package golden_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Values that are easily got wrong: each is decoded, looked at, and encoded at a revision.
func TestVectors(t *testing.T) {
	for _, c := range []struct {
		what string
		in   string
		v    wire.Value
		look func(v wire.Value) bool
		rev  wire.Revision
		want string
	}{
		{"styles of an app's host", `{"styles":{"variables":{"--font-sans":"Arial"}},"containerDimensions":{"width":412.5,"maxHeight":600},"x":1}`, new(ui.HostContext),
			func(v wire.Value) bool { return v.(*ui.HostContext).Styles.Variables["--font-sans"] == "Arial" },
			20250618, `{"styles":{"variables":{"--font-sans":"Arial"}},"containerDimensions":{"width":412.5,"maxHeight":600},"x":1}`},
		{"an app's content", `{"role":"user","content":[{"type":"text","text":"hi"}]}`, new(ui.MessageRequestParams),
			func(v wire.Value) bool {
				return v.(*ui.MessageRequestParams).Content[0].(*mcp.TextContent).Text == "hi"
			},
			20251125, `{"role":"user","content":[{"type":"text","text":"hi"}]}`},
		{"of a tool, what belongs to the resource is kept as it came", `{"resourceUri":"ui://a","visibility":["app"],"csp":{"frameDomains":[]}}`, new(ui.ToolMeta),
			func(v wire.Value) bool { return v.(*ui.ToolMeta).Visibility[0] == ui.ToolVisibilityApp },
			20260728, `{"resourceUri":"ui://a","visibility":["app"],"csp":{"frameDomains":[]}}`},
		{"permissions are empty objects", `{"permissions":{"camera":{}},"prefersBorder":false}`, new(ui.ResourceMeta),
			func(v wire.Value) bool { return v.(*ui.ResourceMeta).Permissions.Camera != nil },
			20241105, `{"permissions":{"camera":{}},"prefersBorder":false}`},
		// REQ STATE-10
		{"a result of an older server is complete", `{"content":[]}`, new(mcp.CallToolResult),
			func(v wire.Value) bool { return v.(*mcp.CallToolResult).GetResultType() == mcp.ResultTypeComplete },
			20251125, `{"content":[]}`},
		// REQ TOOL-11
		{"null is a structured content", `{"content":[],"structuredContent":null}`, new(mcp.CallToolResult),
			func(v wire.Value) bool { return string(v.(*mcp.CallToolResult).StructuredContent) == "null" },
			20260728, `{"resultType":"complete","content":[],"structuredContent":null}`},
		// REQ PAGE-04
		{"an empty cursor is a cursor", `{"tools":[],"nextCursor":""}`, new(mcp.ListToolsResult),
			func(v wire.Value) bool { return v.(*mcp.ListToolsResult).NextCursor != nil },
			20251125, `{"nextCursor":"","tools":[]}`},
		{"and sent as one", `{"cursor":""}`, new(mcp.PaginatedRequestParams),
			func(v wire.Value) bool { return *v.(*mcp.PaginatedRequestParams).Cursor == "" },
			20251125, `{"cursor":""}`},
		// REQ MRTR-06
		{"a request state is echoed byte for byte", `{"name":"n","requestState":"\u0000\ud83d\ude00 \"\\ é\u2028"}`, new(mcp.CallToolRequestParams),
			func(v wire.Value) bool {
				return *v.(*mcp.CallToolRequestParams).RequestState == "\x00😀 \"\\ é\u2028"
			},
			wire.Any, "{\"requestState\":\"\\u0000😀 \\\"\\\\ é\u2028\",\"name\":\"n\"}"},
		// REQ ELIC-05
		{"an elicitation without mode is a form", `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`,
			&wire.Box[mcp.ElicitRequestParams]{From: mcp.DecodeElicitRequestParams},
			func(v wire.Value) bool {
				_, ok := v.(*wire.Box[mcp.ElicitRequestParams]).Value.(*mcp.ElicitRequestFormParams)
				return ok
			},
			20250618, `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`},
		// REQ TASK-07
		{"a task may live for ever", `{"taskId":"t","status":"working","createdAt":"","lastUpdatedAt":"","ttl":null}`, new(mcp.Task),
			func(v wire.Value) bool { return v.(*mcp.Task).TTL == nil },
			20251125, `{"taskId":"t","status":"working","createdAt":"","lastUpdatedAt":"","ttl":null}`},
		// REQ JRPC-02, META-08
		{"a token keeps its type", `{"progressToken":"1","progress":0.5}`, new(mcp.ProgressNotificationParams),
			func(v wire.Value) bool {
				token := v.(*mcp.ProgressNotificationParams).ProgressToken
				return token == wire.StringID("1") && token != wire.IntID(1)
			},
			20241105, `{"progressToken":"1","progress":0.5}`},
		// REQ CAP-04
		{"unknown capabilities are kept", `{"sampling":{},"x":{"y":[1.0]},"tools":{"z":1e400}}`, new(mcp.ServerCapabilities),
			func(v wire.Value) bool { _, ok := v.(*mcp.ServerCapabilities).Extra.Get("sampling"); return ok },
			20260728, `{"tools":{"z":1e400},"sampling":{},"x":{"y":[1.0]}}`},
	} {
		if err := wire.Decode([]byte(c.in), c.v); err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if !c.look(c.v) {
			t.Errorf("%s: decoded to %#v", c.what, c.v)
		}
		if got, err := wire.Marshal(c.rev, c.v); err != nil || string(got) != c.want {
			t.Errorf("%s:\n got %s %v\nwant %s", c.what, got, err, c.want)
		}
	}
}
