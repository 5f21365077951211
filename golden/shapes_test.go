package golden_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Metadata is read and written in every revision, whether or not its schema has it there.
//
// REQ META-01
func TestMetadata(t *testing.T) {
	const meta = `"_meta":{"a/b":[1],"io.modelcontextprotocol/protocolVersion":"x","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, c := range []struct {
		v       wire.Value
		members string
	}{
		{new(mcp.CallToolRequestParams), `"name":"n"`},
		{new(mcp.PaginatedRequestParams), `"cursor":"c"`},
		{new(mcp.NotificationParams), `"x":1`},
		{new(mcp.ResourceUpdatedNotificationParams), `"uri":"a:b"`},
		{new(mcp.CallToolResult), `"content":[]`},
		{new(mcp.ListToolsResult), `"tools":[]`},
		{new(mcp.CreateMessageResult), `"role":"user","content":{"type":"text","text":"x"},"model":"m"`},
		{new(mcp.Tool), `"name":"n","inputSchema":{"type":"object"}`},
		{new(mcp.Prompt), `"name":"n"`},
		{new(mcp.Resource), `"name":"n","uri":"a:b"`},
		{new(mcp.ResourceTemplate), `"name":"n","uriTemplate":"a:{b}"`},
		{new(mcp.TextResourceContents), `"uri":"a:b","text":"x"`},
		{new(mcp.BlobResourceContents), `"uri":"a:b","blob":""`},
		{new(mcp.TextContent), `"type":"text","text":"x"`},
		{new(mcp.ImageContent), `"type":"image","data":"","mimeType":"a/b"`},
		{new(mcp.AudioContent), `"type":"audio","data":"","mimeType":"a/b"`},
		{new(mcp.EmbeddedResource), `"type":"resource","resource":{"uri":"a:b","text":"x"}`},
		{new(mcp.ResourceLink), `"type":"resource_link","name":"n","uri":"a:b"`},
		{new(mcp.Root), `"uri":"file:///a"`},
		{new(mcp.SamplingMessage), `"role":"user","content":{"type":"text","text":"x"}`},
		{new(mcp.ToolUseContent), `"type":"tool_use","name":"n","id":"1","input":{}`},
		{new(mcp.ToolResultContent), `"type":"tool_result","toolUseId":"1","content":[]`},
	} {
		what := reflect.TypeOf(c.v).Elem().Name()
		if err := wire.Decode([]byte(`{`+meta+`,`+c.members+`}`), c.v); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for _, rev := range mcp.Revisions() {
			got, err := wire.Marshal(rev, c.v)
			if err != nil && strings.Contains(err.Error(), "exists since") {
				continue // the type itself is later
			}
			if has := strings.Contains(string(got), `"a/b":[1]`); err != nil || !has {
				t.Errorf("%s at %v: %s, %v", what, rev, got, err)
			}
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// What a server asks a model for, and what it gets, in every revision.
//
// REQ SAMP-03, SAMP-04
func TestSamplingShapes(t *testing.T) {
	const always = `"messages":[{"role":"user","content":{"type":"text","text":"x"}}],` +
		`"modelPreferences":{"hints":[{"name":"sonnet"},{}],"costPriority":0,"speedPriority":0.5,"intelligencePriority":1},` +
		`"systemPrompt":"s","includeContext":"thisServer","temperature":0.7,"maxTokens":100,"stopSequences":["a","b"],"metadata":{"k":[1]}`
	const tools = `,"tools":[{"name":"n","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"required"}`
	params := new(mcp.CreateMessageRequestParams)
	if err := wire.Decode([]byte(`{`+always+tools+`}`), params); err != nil {
		t.Fatal(err)
	}
	for _, rev := range mcp.Revisions() {
		want := `{` + always + `}`
		if rev >= mcp.V2025_11_25 {
			want = `{` + always + tools + `}`
		}
		if rev > mcp.V2026_07_28 {
			break // later ones may have other members
		}
		// Their order is that of the newest revision.
		if got, err := wire.Marshal(rev, params); err != nil || !sameJSON(t, string(got), want) {
			t.Errorf("params at %v:\n got %s, %v\nwant %s", rev, got, err, want)
		}
		for _, reason := range []string{"endTurn", "stopSequence", "maxTokens", "toolUse", "anything"} {
			want := `{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m","stopReason":"` + reason + `"}`
			result := new(mcp.CreateMessageResult)
			if err := wire.Decode([]byte(want), result); err != nil || string(result.StopReason) != reason {
				t.Errorf("result: %v", err)
			}
			if got, err := wire.Marshal(rev, result); err != nil || string(got) != want {
				t.Errorf("result at %v:\n got %s, %v\nwant %s", rev, got, err, want)
			}
		}
	}
	for _, lacking := range []struct {
		member string
		v      wire.Value
		in     string
	}{
		{"maxTokens", params, `{"messages":[]}`},
		{"messages", params, `{"maxTokens":1}`},
		{"role", new(mcp.CreateMessageResult), `{"content":{"type":"text","text":"hi"},"model":"m"}`},
		{"content", new(mcp.CreateMessageResult), `{"role":"assistant","model":"m"}`},
		{"model", new(mcp.CreateMessageResult), `{"role":"assistant","content":{"type":"text","text":"hi"}}`},
	} {
		if err := wire.Decode([]byte(lacking.in), lacking.v); err == nil || !strings.Contains(err.Error(), "missing required member: "+lacking.member) {
			t.Errorf("%s: error %v, want that %s is missing", lacking.in, err, lacking.member)
		}
	}
	for context, valid := range map[mcp.CreateMessageRequestParamsIncludeContext]bool{"none": true, "thisServer": true, "allServers": true, "all": false} {
		if context.Valid() != valid {
			t.Errorf("includeContext %q: valid %v", context, !valid)
		}
	}
	for mode, valid := range map[mcp.ToolChoiceMode]bool{"auto": true, "required": true, "none": true, "any": false} {
		if mode.Valid() != valid {
			t.Errorf("toolChoice %q: valid %v", mode, !valid)
		}
	}
}

// Hints about a tool that says nothing are the most careful ones.
//
// REQ TOOL-23
func TestDefaultHints(t *testing.T) {
	said := new(mcp.ToolAnnotations)
	if err := wire.Decode([]byte(`{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`), said); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a    *mcp.ToolAnnotations
		want [4]bool
	}{
		{nil, [4]bool{false, true, false, true}},
		{new(mcp.ToolAnnotations), [4]bool{false, true, false, true}},
		{said, [4]bool{true, false, true, false}},
	} {
		if got := [4]bool{c.a.GetReadOnlyHint(), c.a.GetDestructiveHint(), c.a.GetIdempotentHint(), c.a.GetOpenWorldHint()}; got != c.want {
			t.Errorf("%+v: read-only, destructive, idempotent, open world: %v, want %v", c.a, got, c.want)
		}
	}
}

// What the protocol has deprecated is marked in the code made for it, with what to do instead.
//
// REQ DEPR-01
func TestDeprecatedMarks(t *testing.T) {
	marked := map[string]bool{}
	files, err := filepath.Glob("../mcp/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	mark := func(name string, doc *ast.CommentGroup) {
		marked[name] = strings.Contains(doc.Text(), "\nDeprecated: ")
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && d.Recv.List[0].Type != nil {
					if of, ok := d.Recv.List[0].Type.(*ast.Ident); ok {
						mark(of.Name+"."+d.Name.Name, d.Doc)
					}
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						mark(s.Name.Name, d.Doc)
						if of, ok := s.Type.(*ast.StructType); ok {
							for _, f := range of.Fields.List {
								for _, name := range f.Names {
									mark(s.Name.Name+"."+name.Name, f.Doc)
								}
							}
						}
					case *ast.ValueSpec:
						mark(s.Names[0].Name, d.Doc)
					}
				}
			}
		}
	}
	for _, name := range []string{
		"ClientCalls.ListRoots", "MethodListRoots", "ListRootsRequest", "ListRootsResult", "Root", "ClientCapabilities.Roots", // roots
		"ClientCalls.CreateMessage", "MethodCreateMessage", "CreateMessageRequestParams", "CreateMessageResult", "ClientCapabilities.Sampling", // sampling
		"ClientCalls.NotifyLoggingMessage", "MethodLoggingMessageNotification", "LoggingMessageNotificationParams", "RequestMetaObject.LogLevel", "ServerCapabilities.Logging", // logging
		"CreateMessageRequestParams.IncludeContext", "CreateMessageRequestParamsIncludeContext",
	} {
		if is, found := marked[name]; !found || !is {
			t.Errorf("%s: marked as deprecated: %v, found: %v", name, is, found)
		}
	}
	for _, name := range []string{"CallToolResult", "ClientCalls.Elicit", "ClientCapabilities.Elicitation", "TextContent", "MethodCallTool"} {
		if is, found := marked[name]; !found || is {
			t.Errorf("%s: marked as deprecated: %v, found: %v", name, is, found)
		}
	}
}
