package limit_test

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

var benchmarked = map[string][]server.Middleware{
	"rate":        {limit.Rate{N: 1 << 30}.Middleware()},
	"concurrency": {limit.Concurrency{Max: 1}.Middleware()},
	"both": {
		limit.Rate{N: 1 << 30}.Middleware(), limit.Rate{N: 1 << 30, Shared: true}.Middleware(),
		limit.Concurrency{Max: 1}.Middleware(), limit.Concurrency{Max: 1, Shared: true}.Middleware(),
	},
}

// BenchmarkCall is a call of a server without middleware (absent), and with limits.
func BenchmarkCall(b *testing.B) {
	r := request("tools/call", `"name":"a"`, transport.Origin{Principal: "ada", Address: "192.0.2.1:80"})
	run := func(name string, s *server.Server) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := server.NewEndpoint(s).ServeRequest(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	absent := server.New(mcp.Implementation{Name: "test", Version: "1"}, nil)
	addTools(absent, nil)
	run("absent", absent)
	for _, name := range []string{"rate", "concurrency", "both"} {
		run(name, newServer(nil, benchmarked[name]...))
	}
}

// A call costs few allocations more than without limits: its client, the name of its tool, and gates that were free.
func TestCost(t *testing.T) {
	testenv.Measures(t)
	r := request("tools/call", `"name":"a"`, transport.Origin{Principal: "ada", Address: "192.0.2.1:80"})
	count := func(s *server.Server) float64 {
		return testing.AllocsPerRun(200, func() {
			if _, err := server.NewEndpoint(s).ServeRequest(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		})
	}
	absent := server.New(mcp.Implementation{Name: "test", Version: "1"}, nil)
	addTools(absent, nil)
	without := count(absent)
	for name, most := range map[string]float64{"rate": 4, "concurrency": 4, "both": 7} {
		if n := count(newServer(nil, benchmarked[name]...)) - without; n > most {
			t.Errorf("%s: %g more allocations, want at most %g", name, n, most)
		}
	}
	admit := limit.Rate{N: 1, Per: time.Nanosecond}.Admit()
	if n := testing.AllocsPerRun(200, func() { admit(r.Origin) }); n > 2 {
		t.Errorf("an HTTP request: %g allocations, want at most 2", n)
	}
}
