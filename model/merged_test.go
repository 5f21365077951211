package model

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/schema"
)

// known are the revisions of which these tests know facts. There may be later ones.
var known = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// TestMergedGolden shows every change of the model that is made of all published revisions.
func TestMergedGolden(t *testing.T) {
	const path = "testdata/merged.golden"
	got := render(mergeRevisions(t), false)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("-want +got (run with -update to accept):\n%s", diff)
	}
}

// TestMergedFacts compares the merged model with what is known of the published schemas. The rows are
// those of docs/merging.md: M1 to M14, the unions and the exceptions.
func TestMergedFacts(t *testing.T) {
	s := mergeRevisions(t, known...)
	facts := []struct{ row, typ, line string }{
		{"M1", "SetLevelRequestParams", `_meta?: RequestMetaObject // from RequestParams`},
		{"M1", "GetTaskRequestParams", `_meta?: RequestMetaObject // from RequestParams`},
		{"M1", "GetTaskPayloadRequestParams", `_meta?: RequestMetaObject // from RequestParams`},
		{"M1", "CancelTaskRequestParams", `_meta?: RequestMetaObject // from RequestParams`},
		{"M1", "ElicitationCompleteNotificationParams", `_meta?: NotificationMetaObject // from NotificationParams`},
		{"M2", "RequestParams", `_meta?: RequestMetaObject // required in 2026-07-28`},
		{"M2", "CallToolRequestParams", `_meta?: RequestMetaObject // from RequestParams; required in 2026-07-28`},
		{"M2", "ListToolsRequest", `params?: PaginatedRequestParams // from PaginatedRequest; required in 2026-07-28`},
		{"M2", "CancelledNotificationParams", `requestId?: RequestId // required in ≤2025-06-18, 2026-07-28`},
		{"M3", "CallToolResult", `resultType?: ResultType // from Result; in 2026-07-28; required in 2026-07-28; default "complete"; filled with "complete"`},
		{"M3", "ListToolsResult", `ttlMs?: integer // from CacheableResult; in 2026-07-28; required in 2026-07-28; filled with 0; minimum 0`},
		{"M3", "ReadResourceResult", `cacheScope?: CacheScope // from CacheableResult; in 2026-07-28; required in 2026-07-28; filled with "private"`},
		{"M3", "RequestMetaObject", `io.modelcontextprotocol/protocolVersion?: string // in 2026-07-28; required in 2026-07-28`},
		{"M3", "RequestMetaObject", `io.modelcontextprotocol/clientCapabilities?: ClientCapabilities // in 2026-07-28; required in 2026-07-28`},
		{"M4", "InputRequiredResult", `resultType: ResultType // from Result; default "input_required"; filled with "input_required"`},
		{"M5", "EnumSchema", `| UntitledSingleSelectEnumSchema`},
		{"M5", "EnumSchema", `| TitledSingleSelectEnumSchema // in ≥2025-11-25`},
		{"M5", "EnumSchema", `| LegacyTitledEnumSchema`},
		{"M5", "UntitledSingleSelectEnumSchema", `default?: string // in ≥2025-11-25; pointer`},
		{"M5", "LegacyTitledEnumSchema", `default?: string // in ≥2025-11-25; pointer`},
		{"M6", "ElicitRequestParams", `| ElicitRequestFormParams`},
		{"M6", "ElicitRequestParams", `| ElicitRequestURLParams // in ≥2025-11-25`},
		{"M6", "ElicitRequestFormParams", `mode?: "form" // in ≥2025-11-25`},
		{"M6", "ElicitRequestFormParams", `message: string`},
		{"M7", "ClientCapabilities", `sampling?: ClientCapabilitiesSampling // deprecated`},
		{"M7", "ClientCapabilitiesSampling", `tools?: JSONObject // in ≥2025-11-25`},
		{"M7", "ElicitResult", `[key]: unknown`},
		{"M8", "CallToolResult", `structuredContent?: raw<unknown> // in ≥2025-06-18; map of unknown in 2025-06-18…2025-11-25`},
		{"M8", "ToolResultContent", `structuredContent?: raw<unknown> // map of unknown in 2025-11-25`},
		{"M9", "Tool", `_meta?: MetaObject // in ≥2025-06-18`},
		{"M9", "InitializeResult", `_meta?: ResultMetaObject // from Result`},
		{"M9", "Resource", `annotations?: Annotations`},
		{"M9", "PromptMessage", `content: ContentBlock`},
		{"M9", "CallToolResult", `content: array<ContentBlock>`},
		{"M10", "ListRootsRequest", `params?: ListRootsRequestParams`},
		{"M10", "ListRootsRequestParams", `_meta?: RequestMetaObject`},
		{"M11", "SamplingMessage", `content: oneOrMany<SamplingMessageContentBlock> // TextContent | ImageContent in 2024-11-05; ` +
			`TextContent | ImageContent | AudioContent in 2025-03-26…2025-06-18`},
		{"M12", "ResourceLink", `type: "resource_link"`},
		{"M13", "Tool", `execution?: ToolExecution // in 2025-11-25`},
		{"M13", "ContentBlock", `| ResourceLink // in ≥2025-06-18`},

		{"union by one literal", "ContentBlock", `plan: value of type`},
		{"union by one literal", "SamplingMessageContentBlock", `plan: value of type`},
		{"union by one literal", "CompleteRequestParamsRef", `plan: value of type`},
		{"union by one literal", "InputRequest", `plan: value of method`},
		{"mode, absent: form", "ElicitRequestParams", `(absent) → ElicitRequestFormParams`},
		{"key of one arm", "ResourceContents", `plan: key of text`},
		{"key of one arm", "ResourceContents", `(absent) → key of blob`},
		{"a tree", "PrimitiveSchemaDefinition", `number, integer → NumberSchema`},
		{"a tree", "PrimitiveSchemaDefinition", `(absent) → StringSchema`},
		{"a tree", "EnumSchema", `(present) → key of enumNames`},
		{"key inside a member", "MultiSelectEnumSchema", `plan: key of items.enum`},
		{"key inside a member", "MultiSelectEnumSchema", `(absent) → key of items.anyOf`},
		{"Untitled and Legacy", "EnumSchema", `(absent) → UntitledSingleSelectEnumSchema`},
		{"follows the request", "InputResponse", `plan: outside`},

		{"base's name", "ReadResourceResult", `contents: array<ResourceContents>`},
		{"base's name", "EmbeddedResource", `resource: ResourceContents`},
		{"rename", "CompleteRequestParamsRef", `| ResourceTemplateReference`},
		{"raw", "CallToolRequestParams", `arguments?: raw<map<unknown>>`},
		{"raw", "Tool", `inputSchema: raw<struct>`},
		{"raw", "Tool", `outputSchema?: raw<struct> // in ≥2025-06-18`},
		{"raw", "ToolUseContent", `input: raw<map<unknown>>`},
		{"raw", "CreateMessageRequestParams", `metadata?: raw<JSONObject>`},
		{"raw", "ClientCapabilities", `experimental?: map<raw<JSONObject>>`},
		{"raw", "ServerCapabilities", `extensions?: map<raw<JSONObject>> // in 2026-07-28`},
		{"not raw", "GetPromptRequestParams", `arguments?: map<string>`},
		{"ordered", "ElicitRequestFormParamsRequestedSchema", `properties: ordered map<PrimitiveSchemaDefinition>`},
		{"default", "ToolAnnotations", `destructiveHint?: boolean // default true`},
		{"default", "ToolAnnotations", `readOnlyHint?: boolean // default false`},
		{"default", "ToolResultContent", `isError?: boolean // default false`},
		{"default", "ToolExecution", `taskSupport?: ToolExecutionTaskSupport // default "forbidden"`},
		{"default", "CreateMessageRequestParams", `includeContext?: CreateMessageRequestParamsIncludeContext // default "none"; deprecated`},
		{"default", "ToolChoice", `mode?: ToolChoiceMode // default "auto"`},
		{"pointer", "InputRequiredResult", `requestState?: string // pointer`},
		{"pointer", "CallToolRequestParams", `requestState?: string // from InputResponseRequestParams; in 2026-07-28; pointer`},
		{"pointer", "StringSchema", `default?: string // in ≥2025-11-25; pointer`},
	}
	for _, f := range facts {
		typ := s.Type(f.typ)
		if typ == nil {
			t.Errorf("%s: there is no type %s", f.row, f.typ)
			continue
		}
		r := renderer{all: s.Revisions, within: s.Revisions}
		r.typ(typ)
		lines := strings.Split(r.String(), "\n")
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) == f.line }) {
			t.Errorf("%s: %s has no line %q:%s", f.row, f.typ, f.line, r.String())
		}
	}
}

// TestMergedMethods compares the methods of all revisions with what is known: no params have lost their
// _meta (M1 of docs/merging.md), which results answer which request, and how many methods there are.
func TestMergedMethods(t *testing.T) {
	s := mergeRevisions(t, known...)
	count := map[string]int{}
	for _, m := range s.Methods {
		for _, r := range m.Revs {
			count[r]++
		}
		if m.Params == "" {
			t.Errorf("%s has no params", m.Name)
			continue
		}
		params := []string{m.Params}
		if e := s.Type(m.Params).Expr; e.Kind == Union {
			params = nil
			for _, a := range e.Arms {
				params = append(params, a.Expr.Name)
			}
		}
		for _, p := range params {
			if meta := s.Type(p).Expr.member("_meta"); meta == nil {
				t.Errorf("M1: %s of %s has no _meta", p, m.Name)
			}
		}
	}
	want := map[string]int{"2024-11-05": 24, "2025-03-26": 24, "2025-06-18": 25, "2025-11-25": 31, "2026-07-28": 21}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("methods in each revision, -want +got:\n%s", diff)
	}
	results := map[string][]string{
		"tools/call":             {"CallToolResult", "CreateTaskResult 2025-11-25", "InputRequiredResult 2026-07-28"},
		"prompts/get":            {"GetPromptResult", "InputRequiredResult 2026-07-28"},
		"resources/read":         {"ReadResourceResult", "InputRequiredResult 2026-07-28"},
		"sampling/createMessage": {"CreateMessageResult", "CreateTaskResult 2025-11-25"},
		"elicitation/create":     {"ElicitResult 2025-06-18 2025-11-25 2026-07-28", "CreateTaskResult 2025-11-25"},
		"ping":                   {"EmptyResult 2024-11-05 2025-03-26 2025-06-18 2025-11-25"},
	}
	for _, m := range s.Methods {
		want, ok := results[m.Name]
		if !ok {
			if len(m.Results) > 1 || len(m.Results) == 0 && !m.Notification {
				t.Errorf("%s has %d results", m.Name, len(m.Results))
			}
			continue
		}
		var got []string
		for _, r := range m.Results {
			revs := strings.Join(r.Revs, " ")
			if len(r.Revs) == len(s.Revisions) {
				revs = ""
			}
			got = append(got, strings.TrimSpace(r.Name+" "+revs))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("results of %s, -want +got:\n%s", m.Name, diff)
		}
	}
}

// TestMergedTypes checks what holds for all types of the merged model.
func TestMergedTypes(t *testing.T) {
	s := mergeRevisions(t, known...)
	roles := map[Role]int{}
	var required []string // M3: new in 2026-07-28 and required there
	for _, typ := range s.Types {
		roles[typ.Role]++
		if typ.Role != RoleData && typ.Role != RoleBase {
			continue
		}
		switch {
		case typ.Role == RoleBase:
		case strings.HasPrefix(typ.Name, "JSONRPC"), strings.HasSuffix(typ.Name, "ResultResponse"), strings.HasSuffix(typ.Name, "Error"):
			t.Errorf("%s is data", typ.Name)
		case strings.HasSuffix(typ.Name, "Meta"): // RequestMeta, ToolMeta …
			t.Errorf("M9: %s is a type of its own", typ.Name)
		}
		if typ.Expr.Kind != Struct {
			continue
		}
		last := 0
		for _, m := range typ.Expr.Members {
			if rank(m) < last {
				t.Errorf("M12: %s.%s does not come first", typ.Name, m.Name)
			}
			last = rank(m)
			if len(m.Revs) == 1 && m.Revs.Has("2026-07-28") && len(m.Required) > 0 && len(typ.Revs) > 1 {
				required = append(required, typ.Name+"."+m.Name)
				if m.Fill == nil && !strings.HasPrefix(m.Name, "io.") {
					t.Errorf("M3: nothing is known to write for %s.%s", typ.Name, m.Name)
				}
			}
		}
	}
	if len(required) != 22 {
		t.Errorf("M3: %d members are new and required in 2026-07-28, want 22: %q", len(required), required)
	}
	if n := roles[RoleRequest] + roles[RoleNotification]; n != len(s.Methods)-3 { // the arms of InputRequest are data
		t.Errorf("%d requests and notifications, want %d", n, len(s.Methods)-3)
	}
	if roles[RoleError] != 9 || roles[RoleDirection] != 6 {
		t.Errorf("%d errors and %d directions, want 9 and 6", roles[RoleError], roles[RoleDirection])
	}
	bases := []string{"Request", "Notification", "Annotated", "BaseMetadata", "Icons", "PaginatedResult", "CacheableResult",
		"ResourceRequestParams", "InputResponseRequestParams", "TaskAugmentedRequestParams"}
	for _, name := range bases {
		if s.Type(name).Role != RoleBase {
			t.Errorf("%s is %s, want a base", name, s.Type(name).Role)
		}
	}
	for _, name := range []string{"ResourceReference", "AnnotatedAnnotations", "CacheableResultCacheScope"} {
		if s.Type(name) != nil {
			t.Errorf("there is a type %s", name)
		}
	}
}

// TestMergedConsts checks M14: a schema's revision is not that of its constant.
func TestMergedConsts(t *testing.T) {
	s := mergeRevisions(t, known...)
	var latest []*Const
	for _, c := range s.Consts {
		if c.Name == latestVersion {
			latest = append(latest, c)
		}
	}
	if len(latest) != 1 || latest[0].Value != "2026-07-28" || len(latest[0].Revs) != 5 {
		t.Errorf("%s is %+v", latestVersion, latest)
	}
	file := parseRevision(t, "2025-11-25")
	draft, err := Lower("2027-01-01", file) // whose constant says 2025-11-25
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(draft.Revisions, []string{"2027-01-01"}) {
		t.Errorf("the revision is %q", draft.Revisions)
	}
}

// TestMergeSome merges each revision alone, and each pair: no exception is left over, and no
// conflict comes up that all revisions together do not have.
func TestMergeSome(t *testing.T) {
	revisions := schema.Revisions()
	for i, a := range revisions {
		mergeRevisions(t, a.Name)
		for _, b := range revisions[:i] {
			mergeRevisions(t, a.Name, b.Name)
		}
	}
}

// TestMergeMisuse checks what a caller may do wrong.
func TestMergeMisuse(t *testing.T) {
	tests := []struct {
		schemas []*Schema
		want    string
	}{
		{nil, "no schema to merge"},
		{[]*Schema{lowerRevision(t, "2025-11-25"), lowerRevision(t, "2025-11-25")}, "two schemas of revision 2025-11-25"},
		{[]*Schema{mergeRevisions(t, known...)}, "the schema of 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28 is merged already"},
		{[]*Schema{mergeRevisions(t, "2025-11-25")}, "the schema of 2025-11-25 is merged already"},
	}
	for _, test := range tests {
		if _, err := Merge(test.schemas...); err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
	if _, err := mergeRevisions(t, known...).JSONSchema(); err == nil || err.Error() != "a JSON Schema describes one revision, not 5" {
		t.Errorf("JSONSchema of a merged model: %v", err)
	}
}
