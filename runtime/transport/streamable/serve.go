package streamable

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
)

// Endpoint is the path at which [Serve] mounts the handler. Health is the path at which it tells everyone that the
// server is running, and nothing else.
const (
	Endpoint = "/mcp"
	Health   = "/health"
)

// maxHeader is how many bytes the headers of a request may have.
const maxHeader = 64 << 10

// ListenAndServe serves a server over HTTP at a TCP address, under [Endpoint], until ctx ends. An address without a
// host, like ":8080", listens on all networks of this machine; a server for this machine alone listens on
// "127.0.0.1:8080". See [Serve].
func ListenAndServe(ctx context.Context, addr string, s *server.Server, opts *Options) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return Serve(ctx, l, s, opts)
}

// Serve serves a server over HTTP, under [Endpoint], to the clients that a listener accepts, until ctx ends. Then
// it closes the listener, and gives the requests being handled the time of [Options.Grace] to finish; after that it
// cuts them off, which cancels the contexts of their handlers. The error is nil after a graceful end, and otherwise
// says how many requests were cut off. The server itself is not shut down.
//
// If Options.Auth has a method Register(*http.ServeMux), like an auth.ResourceServer, Serve also serves what it
// registers.
//
// All time and size limits that an HTTP server should have are set. [Health] is for monitoring. A program that serves
// more than that makes its own [http.Handler], and calls [Handler.Serve].
func Serve(ctx context.Context, l net.Listener, s *server.Server, opts *Options) error {
	h := NewHandler(s, opts)
	h.opts.Logger.InfoContext(ctx, "http: serving", "address", l.Addr().String(), "path", Endpoint)
	_, named := h.opts.Auth.(webauth.Named) // who have no scopes
	if h.endpoint.Scoped(mcp.MethodCallTool.Name) && (h.opts.Auth == nil || named) && transport.IdentityFrom(ctx) == nil {
		h.opts.Logger.WarnContext(ctx, "http: tools, prompts or resources require scopes, but there is no authorization (Options.Auth): nobody can use them over HTTP")
	}
	return h.Serve(ctx, l, atEndpoint(h))
}

// Serve serves root over HTTP, as the function [Serve] does: root calls h for the requests that are for it, and handles
// all others itself. What it does with those must end with ctx.
func (h *Handler) Serve(ctx context.Context, l net.Listener, root http.Handler) error {
	// The contexts of requests do not end with ctx: Shutdown gives them time, and cuts them off itself. There is no limit
	// for a whole request or response, as streams stay open; the handler has limits for each body and each write.
	srv := &http.Server{
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		Handler:           root,
		ReadHeaderTimeout: max(h.opts.ReadTimeout, 0),
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(h.opts.Logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1) // if ctx ends first, nobody receives
	go func() { failed <- srv.Serve(l) }()
	var failure error // of the listener
	select {
	case failure = <-failed:
	case <-ctx.Done():
	}
	// Both wait for requests, and each for some that the other does not know: net/http for those of other handlers, and h
	// for streams that have left net/http.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.opts.Grace)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- srv.Shutdown(grace) }() // accepts no more connections, and waits for those in use
	begun := time.Now()
	err := h.Shutdown(grace)
	open := <-done
	if open != nil && errors.Is(open, grace.Err()) {
		open = cutOffError("connections in use were", begun, open)
	}
	err = cmp.Or(failure, err, open)
	srv.Close()
	return err
}

// atEndpoint returns a handler that serves h at [Endpoint], and beside it [Health] and what the authorizer
// registers.
func atEndpoint(h *Handler) http.Handler {
	others := http.NewServeMux()
	others.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "there is nothing here; the endpoint is "+Endpoint, http.StatusNotFound)
	})
	others.HandleFunc("GET "+Health, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		io.WriteString(w, "ok\n")
	})
	if auth, ok := h.opts.Auth.(interface{ Register(mux *http.ServeMux) }); ok {
		auth.Register(others)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == Endpoint {
			h.ServeHTTP(w, r)
			return
		}
		// The others read no body, which net/http would wait for.
		h.front.LeaveBody(w, r)
		others.ServeHTTP(w, r)
	})
}
