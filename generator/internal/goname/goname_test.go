package goname

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		name string
		f    func(string) string
		want map[string]string
	}{
		{"Field", Field, map[string]string{
			"id": "ID", "uri": "URI", "url": "URL", "mimeType": "MIMEType", "ttlMs": "TTLMs", "ttl": "TTL", "_meta": "Meta",
			"$schema": "Schema", "io.modelcontextprotocol/protocolVersion": "ProtocolVersion", "uriTemplate": "URITemplate",
			"websiteUrl": "WebsiteURL", "toolUseId": "ToolUseID", "oneOf": "OneOf", "text": "Text", "jsonrpc": "Jsonrpc",
			"resourceIds": "ResourceIDs", "JSONValue": "JSONValue", "HTTPServer": "HTTPServer", "x-y.z": "XYZ", "2fa": "N2fa", "größe": "Größe",
			"": "", "_": "",
		}},
		{"Camel", Camel, map[string]string{"date-time": "DateTime", "input_required": "InputRequired", "endTurn": "EndTurn", "uri": "URI", "a b": "AB", "日本": "X日本"}},
		{"Const", Const, map[string]string{"PARSE_ERROR": "ParseError", "URL_ELICITATION_REQUIRED": "URLElicitationRequired"}},
		{"Type", Type, map[string]string{"RequestId": "RequestId", "JSONValue": "JSONValue", "tool": "Tool", "_private": "Private", "": "", "_": "", "单位": "X单位"}},
		{"Unexported", Unexported, map[string]string{"ContentBlock": "contentBlock", "URLSchema": "urlSchema", "ID": "id", "JSON": "json", "A": "a", "AB2C": "ab2C", "ABc": "aBc", "": ""}},
		{"File", File, map[string]string{
			"tools/list": "tools_list", "Common Types": "common_types", "notifications/resources/list_changed": "notifications_resources_list_changed",
			"Multi Round-Trip": "multi_round_trip", "sampling/createMessage": "sampling_create_message", "JSON-RPC": "json_rpc",
			"unit test": "unit_test_types", "linux": "linux_types", "for arm64": "for_arm64_types", "": "", "/": "", "_a/_/b_": "a_b",
		}},
	} {
		for in, want := range tt.want {
			if got := tt.f(in); got != want {
				t.Errorf("%s(%q) = %q, want %q", tt.name, in, got, want)
			}
		}
	}
}

// What several names have in common.
func TestCommon(t *testing.T) {
	for _, test := range []struct {
		want  string
		names []string
	}{
		{"Issue", []string{"CreateIssueResult", "GetIssueResult"}},
		{"Issue", []string{"CreateIssueResult", "Issues", "Issue"}},
		{"Issue", []string{"IssueCreateResult", "IssueGetResult", "Issue"}},
		{"Category", []string{"Categories", "MainCategory"}},
		{"Line_Item", []string{"LineItems", "LineItem"}},
		{"Address", []string{"Addresses", "Address"}},
		{"", []string{"CreateIssueResult", "CreateProjectResult"}},
		{"", []string{"AddIssue", "IssueListAll"}},
		{"Url", []string{"DelUrl", "GetURL"}},
		{"", []string{"PingResult", "CloseResult"}},
		{"", []string{"Author", "Assignee"}},
		{"", []string{"", "Assignee"}},
	} {
		if got := Common(test.names); got != test.want {
			t.Errorf("%q: got %q, want %q", test.names, got, test.want)
		}
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{"getURL": "get URL", "JSONRpc": "JSON Rpc", "aB": "a B", "a1B": "a1 B", "AB": "AB", "ABc": "A Bc", "a-_b": "a b"} {
		if got := strings.Join(Words(in), " "); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestSingular(t *testing.T) {
	for in, want := range map[string]string{"ids": "id", "as": "as", "s": "s", "glass": "glass", "status": "status", "boxes": "box", "dish": "dish", "dishes": "dish"} {
		if got := Singular(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
