package golden_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/schema"
)

// REQ BATCH-07
func TestHasBatches(t *testing.T) {
	for rev, want := range map[wire.Revision]bool{wire.Any: false, 20241105: false, 20250325: false, 20250326: true, 20250618: false, 20251125: false, 20260728: false} {
		if got := mcp.HasBatches(rev); got != want {
			t.Errorf("%v: %t", rev, got)
		}
	}
}

// What is known of methods, found again among all of them by their names.
//
// REQ HDR-03, HDR-04, CACHE-01, MRTR-02
func TestMethodFacts(t *testing.T) {
	modern := []wire.Span{{From: mcp.V2026_07_28}}
	var asks, cacheable []string
	named := map[string]string{}
	merged, err := protocol.Merged("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28") // which are known
	if err != nil {
		t.Fatal(err)
	}
	x, err := schema.ExtensionNamed("tasks")
	if err != nil {
		t.Fatal(err)
	}
	extension, err := protocol.Extension(x)
	if err != nil {
		t.Fatal(err)
	}
	if x, err = schema.ExtensionNamed("ui"); err != nil {
		t.Fatal(err)
	}
	apps, err := protocol.Extension(x)
	if err != nil {
		t.Fatal(err)
	}
	noName := func(string) string { return "" }
	for _, of := range []struct {
		schema *model.Schema
		method func(string) *wire.Method
		name   func(string) string
		names  []string
	}{
		{merged, mcp.ServerMethod, mcp.NameParam, []string{
			"initialize", "ping", "server/discover", "subscriptions/listen", "completion/complete", "logging/setLevel",
			"tools/list", "tools/call", "prompts/list", "prompts/get",
			"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
			"tasks/get", "tasks/list", "tasks/result", "tasks/cancel",
			"notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed", "notifications/tasks/status",
		}},
		{extension, tasks.ServerMethod, tasks.NameParam, []string{"tasks/get", "tasks/update", "tasks/cancel"}},
		{apps, ui.ServerMethod, noName, []string{
			"ui/open-link", "ui/download-file", "ui/message", "ui/update-model-context", "ui/initialize", "ui/request-display-mode",
			"ui/notifications/sandbox-proxy-ready", "ui/notifications/size-changed", "ui/notifications/request-teardown", "ui/notifications/initialized",
		}},
	} {
		var known []string
		for _, m := range of.schema.Methods {
			if len(m.ToServer) > 0 {
				known = append(known, m.Name)
			}
		}
		slices.Sort(known)
		slices.Sort(of.names)
		if diff := cmp.Diff(known, of.names); diff != "" {
			t.Errorf("what a server receives, in the schemas -, here +\n%s", diff)
		}
		for _, name := range of.names {
			m := of.method(name)
			if m == nil || m.Name != name {
				t.Fatalf("%s: %v", name, m)
			}
			if len(m.MayAsk) > 0 {
				asks = append(asks, name)
			}
			if len(m.Cacheable) > 0 {
				cacheable = append(cacheable, name)
			}
			for _, spans := range [][]wire.Span{m.MayAsk, m.Cacheable} {
				if len(spans) > 0 && !slices.Equal(spans, modern) {
					t.Errorf("%s: %v", name, spans)
				}
			}
			if want := name == "completion/complete"; wire.HasRevision(m.Uncovered, mcp.V2024_11_05) != want || wire.HasRevision(m.Uncovered, mcp.V2025_03_26) {
				t.Errorf("%s: uncovered %v", name, m.Uncovered)
			}
			if got := of.name(name); got != m.NameParam {
				t.Errorf("NameParam(%q) = %q, not %q", name, got, m.NameParam)
			}
			if m.NameParam != "" {
				named[name] = m.NameParam
			}
		}
		if got := of.name("tools/calls"); got != "" {
			t.Errorf("an unknown method is named by %q", got)
		}
	}
	slices.Sort(asks)
	slices.Sort(cacheable)
	for _, c := range []struct{ got, want any }{
		{asks, []string{"prompts/get", "resources/read", "tools/call"}},
		{cacheable, []string{"prompts/list", "resources/list", "resources/read", "resources/templates/list", "server/discover", "tools/list"}},
		{named, map[string]string{
			"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
			"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
		}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("want -, got +\n%s", diff)
		}
	}
}

// The metadata of every result can be completed, and the result that it is completed from stays as it is.
func TestMetaResults(t *testing.T) {
	meta := &mcp.ResultMetaObject{ServerInfo: &mcp.Implementation{Name: "n"}}
	for _, r := range []mcp.MetaResult{
		new(mcp.CallToolResult), new(mcp.InputRequiredResult), new(mcp.EmptyResult), &tasks.GetTaskResult{TaskID: "t"}, new(tasks.UpdateTaskResult),
	} {
		with := r.WithMeta(meta).(mcp.MetaResult)
		if with.ResultMeta() != meta || r.ResultMeta() != nil {
			t.Errorf("%T: %v, then %v", r, r.ResultMeta(), with.ResultMeta())
		}
	}
}

func TestHasCode(t *testing.T) {
	for code, want := range map[int64][2]bool{ // in 2025-11-25 and 2026-07-28
		mcp.CodeParseError:             {true, true},
		mcp.CodeURLElicitationRequired: {true, false},
		mcp.CodeHeaderMismatch:         {false, true},
		mcp.CodeResourceNotFound:       {true, false},
		-32001:                         {false, false},
	} {
		if got := [2]bool{mcp.HasCode(mcp.V2025_11_25, code), mcp.HasCode(mcp.V2026_07_28, code)}; got != want {
			t.Errorf("%d: %v, want %v", code, got, want)
		}
		if got := mcp.HasCodeSince(mcp.V2026_07_28, code); got != (want == [2]bool{false, true}) {
			t.Errorf("%d: since 2026-07-28: %t", code, got)
		}
	}
}
