package model

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/schema"
)

// A loss is a difference between our JSON Schema and the official one that is right: the tool that
// made the official one loses something, or our comments say something that it does not.
type loss struct {
	from, until    string // the first revision that has it; the first that has it no longer, if any
	paths          string // all that it holds for
	ours, official string // what is said there, nothing being "—"; of alternatives those that differ
	reason         string
}

const (
	aliasLost     = "the name of an alias is replaced by what it stands for"
	signatureLost = "the index signature that a type inherits is lost"
	openLost      = "an enum that takes any other string becomes string"
	numberLost    = "an untagged number becomes an integer, though nothing says that it is one"
	noDefault     = "the official comments say it in prose only"
)

var losses = []loss{
	{"2024-11-05", "2025-11-25", "ListPromptsRequest.params.cursor ListResourceTemplatesRequest.params.cursor " +
		"ListResourcesRequest.params.cursor ListToolsRequest.params.cursor PaginatedRequest.params.cursor",
		"optional ref Cursor", "optional string", aliasLost},
	{"2025-11-25", "", "PaginatedRequestParams.cursor",
		"optional ref Cursor", "optional string", aliasLost},
	{"2024-11-05", "", "ListPromptsResult.nextCursor ListResourceTemplatesResult.nextCursor ListResourcesResult.nextCursor " +
		"ListToolsResult.nextCursor PaginatedResult.nextCursor",
		"optional ref Cursor", "optional string", aliasLost},
	{"2025-11-25", "2026-07-28", "ListTasksResult.nextCursor",
		"optional ref Cursor", "optional string", aliasLost},
	{"2024-11-05", "", "ClientResult ServerResult",
		"ref EmptyResult", "ref Result", aliasLost},
	{"2026-07-28", "", "ClientNotification",
		"ref CancelledNotification", "object", aliasLost},
	{"2026-07-28", "", "ClientNotification.jsonrpc",
		"—", `required "2.0"`, aliasLost},
	{"2026-07-28", "", "ClientNotification.method",
		"—", `required "notifications/cancelled"`, aliasLost},
	{"2026-07-28", "", "ClientNotification.params",
		"—", "required ref CancelledNotificationParams", aliasLost},
	{"2025-03-26", "2025-06-18", "JSONRPCMessage",
		"ref JSONRPCBatchRequest, ref JSONRPCBatchResponse",
		"(array; [] one of ref JSONRPCError, ref JSONRPCResponse), (array; [] one of ref JSONRPCNotification, ref JSONRPCRequest)", aliasLost},
	{"2025-11-25", "", "JSONRPCMessage",
		"ref JSONRPCResponse", "ref JSONRPCErrorResponse, ref JSONRPCResultResponse", aliasLost},
	{"2025-11-25", "", "PrimitiveSchemaDefinition",
		"ref EnumSchema", "ref LegacyTitledEnumSchema, ref TitledMultiSelectEnumSchema, ref TitledSingleSelectEnumSchema, " +
			"ref UntitledMultiSelectEnumSchema, ref UntitledSingleSelectEnumSchema", aliasLost},
	{"2025-11-25", "", "EnumSchema",
		"ref MultiSelectEnumSchema, ref SingleSelectEnumSchema", "ref TitledMultiSelectEnumSchema, ref TitledSingleSelectEnumSchema, " +
			"ref UntitledMultiSelectEnumSchema, ref UntitledSingleSelectEnumSchema", aliasLost},
	{"2025-11-25", "", "SamplingMessage.content CreateMessageResult.content",
		"ref SamplingMessageContentBlock", "ref AudioContent, ref ImageContent, ref TextContent, ref ToolResultContent, ref ToolUseContent", aliasLost},
	{"2026-07-28", "", "CacheableResult.resultType CallToolResult.resultType CompleteResult.resultType DiscoverResult.resultType " +
		"GetPromptResult.resultType InputRequiredResult.resultType ListPromptsResult.resultType " +
		"ListResourceTemplatesResult.resultType ListResourcesResult.resultType ListToolsResult.resultType " +
		"PaginatedResult.resultType ReadResourceResult.resultType Result.resultType SubscriptionsListenResult.resultType",
		"required ref ResultType", "required string", aliasLost},
	{"2026-07-28", "", "ResultType",
		`one of "complete"|"input_required", string`, "string", openLost},
	{"2024-11-05", "2025-11-25", "CreateMessageResult.stopReason",
		`optional one of "endTurn"|"maxTokens"|"stopSequence", string`, "optional string", openLost},
	{"2025-11-25", "", "CreateMessageResult.stopReason",
		`optional one of "endTurn"|"maxTokens"|"stopSequence"|"toolUse", string`, "optional string", openLost},
	{"2025-06-18", "", "ElicitResult.content[*]",
		"number", "integer", numberLost},
	{"2026-07-28", "", "JSONValue",
		"null, number, ref JSONArray", "(array; [] ref JSONValue), integer", numberLost + "; " + aliasLost + "; null is lost"},
	{"2024-11-05", "", "CallToolResult[*] CompleteResult[*] GetPromptResult[*] ListPromptsResult[*] ListResourceTemplatesResult[*] " +
		"ListResourcesResult[*] ListToolsResult[*] PaginatedResult[*] ReadResourceResult[*]",
		"any", "—", signatureLost},
	{"2024-11-05", "2026-07-28", "CreateMessageResult[*] InitializeResult[*] ListRootsResult[*]",
		"any", "—", signatureLost},
	{"2025-06-18", "2026-07-28", "ElicitResult[*]",
		"any", "—", signatureLost},
	{"2025-11-25", "2026-07-28", "CreateTaskResult[*] ListTasksResult[*]",
		"any", "—", signatureLost},
	{"2026-07-28", "", "CacheableResult[*] DiscoverResult[*] InputRequiredResult[*] NotificationMetaObject[*] RequestMetaObject[*] " +
		"ResultMetaObject[*] SubscriptionsListenResultMetaObject[*] SubscriptionsListenResult[*]",
		"any", "—", signatureLost},
	{"2025-03-26", "", "ToolAnnotations.destructiveHint ToolAnnotations.openWorldHint",
		"optional boolean default=true", "optional boolean", noDefault},
	{"2025-03-26", "", "ToolAnnotations.idempotentHint ToolAnnotations.readOnlyHint",
		"optional boolean default=false", "optional boolean", noDefault},
	{"2025-11-25", "", "ToolResultContent.isError",
		"optional boolean default=false", "optional boolean", noDefault},
}

func (l loss) explains(revision string, d difference) bool {
	return l.from <= revision && (l.until == "" || revision < l.until) && slices.Contains(strings.Fields(l.paths), d.path) &&
		l.ours == d.ours && l.official == d.official
}

// unexplained returns the differences that no loss explains.
func unexplained(revision string, ds []difference) []difference {
	return slices.DeleteFunc(slices.Clone(ds), func(d difference) bool {
		return slices.ContainsFunc(losses, func(l loss) bool { return l.explains(revision, d) })
	})
}

// TestOfficialJSONSchema compares the document made of each revision with the one that the
// protocol publishes: definitions, members, which are required, types, constants, references. A
// loss must hold for each of its revisions and paths.
//
// REQ META-01, RES-14, ICON-01, SAMP-03, SAMP-04: by the shapes of the types
func TestOfficialJSONSchema(t *testing.T) {
	dir := testenv.NeedsOfficial(t)
	for _, r := range schema.Revisions() {
		t.Run(r.Name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(dir, "schema", r.Name, "schema.json"))
			if err != nil {
				t.Fatal(err)
			}
			diffs := compareSchemas(t, jsonSchemaOf(t, lowerRevision(t, r.Name)), want)
			for _, d := range unexplained(r.Name, diffs) {
				t.Error(d)
			}
			for _, l := range losses {
				for _, path := range strings.Fields(l.paths) {
					d := difference{path, l.ours, l.official}
					if l.explains(r.Name, d) && !slices.Contains(diffs, d) {
						t.Errorf("expected as a loss (%s), but it is not so: %s", l.reason, d)
					}
				}
			}
		})
	}
}

func jsonSchemaOf(tb testing.TB, s *Schema) []byte {
	tb.Helper()
	doc, err := s.JSONSchema()
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

// TestComparison checks that the comparison with the official documents can fail: whatever is
// changed in a schema, it reports that and nothing else.
func TestComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares hundreds of schemas, which -short does without")
	}
	const revision = "2026-07-28"
	reference := jsonSchemaOf(t, lowerRevision(t, revision))
	member := func(path string, change func(m *Member)) func(*Schema) {
		return func(s *Schema) { change(s.find(path)) }
	}
	tests := []struct {
		name   string
		change func(s *Schema)
		want   string
	}{
		{"nothing", func(s *Schema) {}, ""},
		{"a member's documentation", member("Tool.name", func(m *Member) { m.Doc = Doc{Text: "Other."} }), ""},
		{"the order of members", func(s *Schema) { slices.Reverse(s.Type("Tool").Expr.Members) }, ""},
		{"a definition dropped",
			func(s *Schema) {
				s.Types = slices.DeleteFunc(s.Types, func(t *Type) bool { return t.Name == "ClientRequest" })
			},
			"ClientRequest: ours is —, the official one is one of ref CallToolRequest, ref CompleteRequest, ref DiscoverRequest, " +
				"ref GetPromptRequest, ref ListPromptsRequest, ref ListResourceTemplatesRequest, ref ListResourcesRequest, " +
				"ref ListToolsRequest, ref ReadResourceRequest, ref SubscriptionsListenRequest"},
		{"a member dropped",
			func(s *Schema) { s.Type("Tool").Expr.Members = s.Type("Tool").Expr.Members[1:] },
			"Tool.name: ours is —, the official one is required string"},
		{"a member added",
			func(s *Schema) {
				e := s.Type("Tool").Expr
				e.Members = append(e.Members, &Member{Name: "x", Type: &Expr{Kind: String}})
			},
			"Tool.x: ours is required string, the official one is —"},
		{"a member renamed", member("Tool._meta", func(m *Member) { m.Name = "meta" }),
			"Tool._meta: ours is —, the official one is optional ref MetaObject\n" +
				"Tool.meta: ours is optional ref MetaObject, the official one is —"},
		{"a required member made optional", member("Tool.inputSchema", func(m *Member) { m.Optional = true }),
			"Tool.inputSchema: ours is optional object, the official one is required object"},
		{"an optional member made required", member("Tool.inputSchema.$schema", func(m *Member) { m.Optional = false }),
			"Tool.inputSchema.$schema: ours is required string, the official one is optional string"},
		{"a constant", member("CallToolRequest.method", func(m *Member) { m.Type = literal("tools/cal") }),
			`CallToolRequest.method: ours is required "tools/cal", the official one is required "tools/call"`},
		{"a constant made a string", member("CallToolRequest.method", func(m *Member) { m.Type = &Expr{Kind: String} }),
			`CallToolRequest.method: ours is required string, the official one is required "tools/call"`},
		{"an error code", member("HeaderMismatchError.error.code", func(m *Member) { m.Type = literal(-32021) }),
			"HeaderMismatchError.error.code: ours is required -32021, the official one is required -32020"},
		{"an enum value dropped", func(s *Schema) { e := s.Type("Role").Expr; e.Values = e.Values[1:] },
			`Role: ours is "assistant", the official one is "assistant"|"user"`},
		{"an enum opened", func(s *Schema) { s.Type("Role").Expr.Open = true },
			`Role: ours is one of "assistant"|"user", string, the official one is "assistant"|"user"`},
		{"a reference", member("Tool.annotations", func(m *Member) { m.Type = &Expr{Kind: Ref, Name: "Annotations"} }),
			"Tool.annotations: ours is optional ref Annotations, the official one is optional ref ToolAnnotations"},
		{"an arm dropped", func(s *Schema) { e := s.Type("ContentBlock").Expr; e.Arms = e.Arms[1:] },
			"ContentBlock: ours is —, the official one is ref TextContent"},
		{"an arm replaced", func(s *Schema) { s.Type("ContentBlock").Expr.Arms[0].Expr.Name = "Tool" },
			"ContentBlock: ours is ref Tool, the official one is ref TextContent"},
		{"an integer made a number", member("Resource.size", func(m *Member) { m.Type.Kind = Number }),
			"Resource.size: ours is optional number, the official one is optional integer\n" +
				"ResourceLink.size: ours is optional number, the official one is optional integer"},
		{"an element", member("CompleteResult.completion.values", func(m *Member) { m.Type.Elem = &Expr{Kind: Boolean} }),
			"CompleteResult.completion.values[]: ours is boolean, the official one is string"},
		{"an array made its element", member("CompleteResult.completion.values", func(m *Member) { m.Type = m.Type.Elem }),
			"CompleteResult.completion.values: ours is required string maxItems=100, the official one is required array maxItems=100\n" +
				"CompleteResult.completion.values[]: ours is —, the official one is string"},
		{"values of a map", func(s *Schema) { s.Type("MetaObject").Expr.Elem = &Expr{Kind: String} },
			"MetaObject[*]: ours is string, the official one is any"},
		{"an index signature dropped", func(s *Schema) { s.Type("Result").Expr.Rest = nil },
			"Result[*]: ours is —, the official one is any"},
		{"a format", member("Icon.src", func(m *Member) { m.Format = "" }),
			"Icon.src: ours is required string, the official one is required string format=uri"},
		{"a limit", member("Annotations.priority", func(m *Member) { m.Maximum = "2" }),
			"Annotations.priority: ours is optional number minimum=0 maximum=2, the official one is optional number minimum=0 maximum=1"},
		{"a default", member("ToolAnnotations.readOnlyHint", func(m *Member) { m.Default = nil }),
			"ToolAnnotations.readOnlyHint: ours is optional boolean, the official one is optional boolean default=false"},
		{"a loss gone", member("ListToolsResult.nextCursor", func(m *Member) { m.Type = &Expr{Kind: Integer} }),
			"ListToolsResult.nextCursor: ours is optional integer, the official one is optional ref Cursor"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := lowerRevision(t, revision)
			test.change(s)
			var got []string
			for _, d := range unexplained(revision, compareSchemas(t, jsonSchemaOf(t, s), reference)) {
				got = append(got, d.String())
			}
			if got := strings.Join(got, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
