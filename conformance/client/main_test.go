package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestNewRun(t *testing.T) {
	const url = "http://localhost:1/mcp"
	for _, test := range []struct {
		args               []string
		scenario, revision string
		want               string // part of the error; empty if there is none
	}{
		{[]string{url}, "tools_call", "2025-11-25", ""},
		{nil, "tools_call", "2025-11-25", "want one argument"},
		{[]string{url, url}, "tools_call", "2025-11-25", "want one argument"},
		{[]string{url}, "tools-call", "2025-11-25", `"tools-call"; want one of`},
		{[]string{url}, "auth/basic-cimd", "2025-11-25", ""},
		{[]string{url}, "auth", "2025-11-25", `"auth"; want one of`},
		{[]string{url}, "tools_call", "newest", "MCP_CONFORMANCE_PROTOCOL_VERSION"},
	} {
		env := map[string]string{
			"MCP_CONFORMANCE_SCENARIO":         test.scenario,
			"MCP_CONFORMANCE_PROTOCOL_VERSION": test.revision,
		}
		_, err := newRun(test.args, func(name string) string { return env[name] })
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q %q %q: error %v, want %q", test.args, test.scenario, test.revision, err, test.want)
		}
	}
}

// TestRevisions: a client of one era does not ask whether the server speaks the other.
func TestRevisions(t *testing.T) {
	for _, test := range []struct {
		scenario wire.Revision
		want     []wire.Revision
	}{
		{mcp.V2025_03_26, []wire.Revision{mcp.V2024_11_05, mcp.V2025_03_26}},
		{mcp.V2025_11_25, []wire.Revision{mcp.V2024_11_05, mcp.V2025_03_26, mcp.V2025_06_18, mcp.V2025_11_25}},
		{mcp.V2026_07_28, []wire.Revision{mcp.V2026_07_28}},
	} {
		if got := (&run{revision: test.scenario}).revisions(); !slices.Equal(got, test.want) {
			t.Errorf("scenario of %v: %v, want %v", test.scenario, got, test.want)
		}
	}
}
