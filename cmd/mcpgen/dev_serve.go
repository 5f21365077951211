package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev/page"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// serveDev serves the endpoint and the page until ctx ends.
func serveDev(ctx context.Context, l net.Listener, s *server.Server, shown *page.Page, logger *slog.Logger) error {
	endpoint := streamable.NewHandler(s, &streamable.Options{Logger: logger})
	mux := http.NewServeMux()
	mux.Handle(streamable.Endpoint, endpoint)
	mux.Handle("/", shown)
	stop := context.AfterFunc(ctx, shown.Close) // its pages hold responses that do not end
	defer stop()
	return endpoint.Serve(ctx, l, mux)
}

// serveSandbox serves the origin of apps until stop is called.
func serveSandbox(l net.Listener, sandbox http.Handler) (stop func()) {
	s := localServer(sandbox)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Serve(l) // until it is closed
	}()
	return func() {
		s.Close()
		<-ended
	}
}

// What programs on this machine have for a request, and for reading the response.
const (
	requestTime   = 10 * time.Second
	responseTime  = time.Minute
	maxLocalBytes = 16 << 10 // of the header of a request
)

// localServer returns a server that nobody on this machine can keep busy.
func localServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadTimeout: requestTime, WriteTimeout: responseTime, MaxHeaderBytes: maxLocalBytes}
}

// devRoots returns the roots that the page tells servers: the current folder.
func devRoots() []mcp.Root {
	dir, err := os.Getwd()
	if err != nil {
		return []mcp.Root{}
	}
	path := filepath.ToSlash(dir)
	if path[0] != '/' { // a drive
		path = "/" + path
	}
	return []mcp.Root{{URI: (&url.URL{Scheme: "file", Path: path}).String(), Name: filepath.Base(dir)}}
}
