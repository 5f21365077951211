package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// grace is how long calls at work may go on when the program is to end.
const grace = time.Second

// serveHTTP serves until ctx ends: Streamable HTTP, whose URL it prints, and HTTP+SSE for clients
// that know nothing else. A server without the latter needs no more than [streamable.Serve].
func serveHTTP(ctx context.Context, addr string, s *server.Server) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())

	h := streamable.NewHandler(s, &streamable.Options{
		Polling: true, // for test_reconnection
		Retry:   100 * time.Millisecond,
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.Handle("/sse", sse.NewHandler(s, nil))
	requests, end := context.WithCancel(context.Background())
	defer end()
	srv := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(requests, grace)
	defer cancel()
	h.Shutdown(last) // what is not done in time is cut off
	end()            // with which the streams of HTTP+SSE end
	return errors.Join(srv.Close(), s.Shutdown(context.Background()))
}
