package main

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/sameclient"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func connect(t *testing.T, opts *mcptest.Options) *mcptest.Client {
	t.Helper()
	newYear := func() time.Time { return time.Date(2026, 1, 1, 15, 0, 0, 0, time.UTC) }
	s, err := NewServer(&Weather{Now: newYear}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return mcptest.Connect(t, s, opts)
}

func TestTools(t *testing.T) {
	c := connect(t, nil)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"add", map[string]any{"a": 2, "b": 3}, `{"sum":5}`},
		{"add", map[string]any{"a": "2", "b": 3.0}, `{"sum":5}`}, // models write such things
		{"forecast", map[string]any{"city": "Oslo", "days": 1},
			`{"city":"Oslo","unit":"celsius","days":[{"date":"2026-01-01T00:00:00Z","low":-7.7,"high":0.3,"rain":0.32}]}`},
		{"forecast", map[string]any{"city": "lima", "days": 1, "unit": "fahrenheit"},
			`{"city":"Lima","unit":"fahrenheit","days":[{"date":"2026-01-01T00:00:00Z","low":66,"high":80.4,"rain":0.05}]}`},
		{"warmest", map[string]any{"names": []string{"Oslo", "Sydney", "Tokyo"}}, `{"city":"Sydney","high":27.3}`},
		{"warmest", map[string]any{"names": []string{"Oslo", "Sydney", "Tokyo"}, "date": "2026-07-15T00:00:00Z"}, `{"city":"Tokyo","high":30}`},
	} {
		if got := c.CallText(test.tool, test.arguments); got != test.want {
			t.Errorf("%s %v:\n got %s\nwant %s", test.tool, test.arguments, got, test.want)
		}
	}
}

// The model is told everything that is wrong at once.
func TestErrors(t *testing.T) {
	c := connect(t, nil)
	for _, test := range []struct{ arguments, want string }{
		{`{"day": 2, "days": 20, "unit": "kelvin"}`, "day: unknown argument; did you mean days?\n" +
			"days: want an integer of at most 14, got 20\n" +
			"unit: want one of \"celsius\", \"fahrenheit\", got \"kelvin\"\n" +
			"city: required"},
		{`{"city": "Atlantis"}`, `no climate is known of "Atlantis"; there are Cairo, Lima, Nairobi, Oslo, Singapore, Sydney, Tokyo`},
	} {
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "forecast", Arguments: wire.Raw(test.arguments)})
		if err != nil {
			t.Fatal(err)
		}
		if got := mcptest.Text(r); got != test.want || !r.GetIsError() {
			t.Errorf("%s:\n got %s\nwant %s", test.arguments, got, test.want)
		}
	}
}

func TestPromptResourcesCompletion(t *testing.T) {
	ctx := t.Context()
	c := connect(t, nil)

	prompt, err := c.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: "packing", Arguments: map[string]string{"city": "tokyo"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "I travel to Tokyo, Japan, for 7 days. Look up the forecast, then tell me what to pack."
	if got := prompt.Messages[0].Content.(*mcp.TextContent).Text; got != want {
		t.Errorf("prompt: %s, want %s", got, want)
	}

	for uri, want := range map[string]string{
		"climate://cities":       "Cairo\nLima\nNairobi\nOslo\nSingapore\nSydney\nTokyo\n",
		"climate://cities/Cairo": `{"city":"Cairo","country":"Egypt","january":14,"july":28.5}`,
	} {
		r, err := c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Contents[0].(*mcp.TextResourceContents).Text; got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}

	done, err := c.Complete(ctx, &mcp.CompleteRequestParams{
		Ref:      &mcp.PromptReference{Name: "packing"},
		Argument: mcp.CompleteRequestParamsArgument{Name: "city", Value: "s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := done.Completion.Values; len(got) != 2 || got[0] != "Singapore" || got[1] != "Sydney" {
		t.Errorf("completion: %q", got)
	}
}

func TestForecastInEachRevision(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
		c := connect(t, &mcptest.Options{Revision: revision})
		var reports []float64
		ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) { reports = append(reports, p.Progress) })
		r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "forecast", Arguments: wire.Raw(`{"city":"Lima"}`)})
		if err != nil {
			t.Fatal(err)
		}
		if got := mcptest.Text(r); !strings.HasPrefix(got, `{"city":"Lima","unit":"celsius"`) {
			t.Errorf("got %s", got)
		}
		if len(reports) == 0 || reports[len(reports)-1] != 3 {
			t.Errorf("progress %v, want 3 in the end", reports)
		}
	})
}

// A typed client can be made from the lock file as well.
func TestTypedClient(t *testing.T) { sameclient.Check(t, connect(t, nil).Client) }
