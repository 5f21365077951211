package main

import (
	"context"
	"errors"
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

const (
	devReadTime = 30 * time.Second // for the headers of a request
	devEndTime  = 10 * time.Second // for requests to finish when dev ends
)

// serveDev serves the endpoint and the page until ctx ends.
func serveDev(ctx context.Context, l net.Listener, s *server.Server, shown *page.Page, logger *slog.Logger) error {
	endpoint := streamable.NewHandler(s, &streamable.Options{Logger: logger})
	mux := http.NewServeMux()
	mux.Handle(streamable.Endpoint, endpoint)
	mux.Handle("/", shown)
	srv := &http.Server{
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		Handler:           mux,
		ReadHeaderTimeout: devReadTime,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	var failure error
	select {
	case failure = <-failed:
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), devEndTime)
	defer cancel()
	shown.Close() // its pages hold responses that do not end
	done := make(chan error, 1)
	go func() { done <- srv.Shutdown(grace) }() // accepts no more connections, and waits for active ones
	err := endpoint.Shutdown(grace)
	return errors.Join(failure, err, <-done, srv.Close())
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
