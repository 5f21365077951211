package example

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/internal/sameclient"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestGenerated makes sure that the generated file is what would be generated now.
func TestGenerated(t *testing.T) {
	packages, err := tools.Load(t.Context(), nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	files, err := packages[0].Generate(tools.Runtime)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(tools.GoFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(files[tools.GoFile])); diff != "" {
		t.Errorf("%s is stale; run go generate:\n%s", tools.GoFile, diff)
	}
}

var oslo = &Weather{City: "Oslo", High: []float64{4.5, 6, -1.5, 0, 3, 2}}

func newServer(t testing.TB) *server.Server {
	s := server.New(mcp.Implementation{Name: "example"}, nil)
	if err := Register(s); err != nil {
		t.Fatal(err)
	}
	if err := RegisterWeather(s, oslo); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCall calls the tools as a client does, in every revision.
func TestCall(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
		c := mcptest.Connect(t, newServer(t), &mcptest.Options{Revision: revision})
		if got := c.CallText("add", map[string]any{"a": 1, "b": 2}); got != `{"sum":3}` {
			t.Errorf("add: got %s", got)
		}
		want := `{"city":"Oslo","unit":"fahrenheit","days":[{"high":40.1},{"high":42.8}]}`
		if got := c.CallText("forecast", map[string]any{"city": "Oslo", "days": "2", "unit": "fahrenheit"}); got != want {
			t.Errorf("forecast: got %s", got)
		}
	})
}

const (
	maxAllocs = 6 // from raw arguments to the encoded result, those of Forecast itself included
	rawArgs   = `{"city":"Oslo","days":3,"unit":"celsius"}`
)

// call does what a call of the tool forecast takes, but for the server.
func call(t testing.TB, raw wire.Raw) wire.Raw {
	a, err := mcpReadWeatherForecast(args.New(raw, true))
	if err != nil {
		t.Fatal(err)
	}
	r, err := oslo.Forecast(context.Background(), nil, a.city, a.days, a.unit)
	if err != nil {
		t.Fatal(err)
	}
	content, err := args.Encode(r, mcpPutReport)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestAllocations(t *testing.T) {
	raw := wire.Raw(rawArgs)
	want := `{"city":"Oslo","unit":"celsius","days":[{"high":4.5},{"high":6},{"high":-1.5}]}`
	if got := string(call(t, raw)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := testing.AllocsPerRun(1000, func() { call(t, raw) }); got > maxAllocs {
		t.Errorf("%v allocations, more than %d", got, maxAllocs)
	}
}

// BenchmarkForecast measures a call from its raw arguments to the encoded result.
func BenchmarkForecast(b *testing.B) {
	raw := wire.Raw(rawArgs)
	b.ReportAllocs()
	for b.Loop() {
		call(b, raw)
	}
}

// BenchmarkHandler measures the same by the handler that the server calls.
func BenchmarkHandler(b *testing.B) {
	raw, h := wire.Raw(rawArgs), mcpWeatherForecast(oslo)
	c := new(server.Call)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h(b.Context(), c, raw); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkProblems measures a call with wrong arguments.
func BenchmarkProblems(b *testing.B) {
	raw := wire.Raw(`{"cty":"Oslo","days":20,"unit":"kelvin"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := mcpReadWeatherForecast(args.New(raw, true)); err == nil {
			b.Fatal("no problems")
		}
	}
}

// BenchmarkRegister measures how long it takes to register one tool.
func BenchmarkRegister(b *testing.B) {
	quiet := &server.Options{Logger: slog.New(slog.DiscardHandler)} // each takes the place of the one before
	s := server.New(mcp.Implementation{Name: "example"}, quiet)
	b.ReportAllocs()
	for b.Loop() {
		if err := RegisterWeather(s, oslo); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTypedClient makes a typed client from the lock file, and from the server.
func TestTypedClient(t *testing.T) {
	s := newServer(t)
	if err := RegisterStation(s, new(Station)); err != nil {
		t.Fatal(err)
	}
	all := mcptest.As("all", "stations:read", "stations:write", "stations:calibrate", "station:Oslo")
	sameclient.Check(t, mcptest.Connect(t, s, &mcptest.Options{Identity: all}).Client)
}
