package observe_test

import (
	"context"
	"expvar"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/observe/observeserver"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Everything that a server does is counted and logged.
func ExampleNumbers() {
	var numbers observe.Numbers
	observer := observe.Observers{&numbers, observe.Logger(slog.Default())}
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, observeserver.Options(observer, nil))

	mux := http.NewServeMux()
	mux.Handle("/mcp", streamable.NewHandler(s, &streamable.Options{Observer: observer}))
	mux.HandleFunc("/debug", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, numbers.String())
	})
	log.Fatal(http.ListenAndServe("localhost:8080", mux))
}

// The same numbers as a variable of package expvar, which serves it under /debug/vars.
func ExampleNumbers_expvar() {
	var numbers observe.Numbers
	expvar.Publish("mcp", &numbers)
	fmt.Println(expvar.Get("mcp"))
	// Output: {"now":{},"ended":{}}
}

// slow reports the calls of tools that take long.
type slow struct{ limit time.Duration }

func (s slow) Observe(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	return ctx, func() {
		if took := time.Since(o.Begun); o.Method == "tools/call" && took > s.limit {
			fmt.Println(o.Name, "is slow:", o.Outcome())
		}
	}
}

// An observer of one's own.
func ExampleObserver() {
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, observeserver.Options(slow{time.Millisecond}, nil))
	err := s.AddTool(mcp.Tool{Name: "nap"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		time.Sleep(2 * time.Millisecond)
		return server.TextResult("rested"), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	calls := mcp.ServerCalls{Caller: mcptest.Caller(s, nil)}
	if _, err := calls.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: "nap"}); err != nil {
		log.Fatal(err)
	}
	// Output: nap is slow: ok
}

// A record of a call that fails.
func ExampleLogger() {
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "time" || a.Key == "duration" || a.Key == "revision" { // for the sake of this example
			return slog.Attr{}
		}
		return a
	}})
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, observeserver.Options(observe.Logger(slog.New(handler)), nil))
	calls := mcp.ServerCalls{Caller: mcptest.Caller(s, nil)}
	calls.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: "add"}) // there are no tools
	// Output: level=WARN msg="mcp: request" method=tools/call id=1 outcome=-32601 error="method \"tools/call\" not found (-32601)"
}
