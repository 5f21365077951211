// Package harness runs the same workloads against any Go implementation of MCP. One program per
// implementation (cmd/pb-*) links exactly one through the small [Peer] interface, so that another
// is added by one adapter (see peers/) and a main of three lines.
package harness

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// Protocol revisions a run may speak.
const (
	// Legacy is the last revision with the initialize handshake and sessions.
	Legacy = "2025-11-25"
	// Modern is the stateless core: no handshake, protocol data in every
	// request's _meta.
	Modern = "2026-07-28"
)

// HTTPMode selects how a streamable HTTP server keeps (or does not keep) sessions.
type HTTPMode string

const (
	Stateful  HTTPMode = "stateful"
	Stateless HTTPMode = "stateless"
)

// ServerConfig says what the server under test exposes. The echo tool is
// always present.
type ServerConfig struct {
	// ListTools is the number of further tools, as made by [ToolSpecs].
	ListTools int
}

// Server is one server instance of a peer.
//
// The echo tool is called "echo", takes {"message": string} (required) and
// answers one text content item holding the message, plus structured content
// {"message": <message>}, with an output schema declared.
type Server interface {
	// ServeStream serves newline-delimited JSON until in ends.
	ServeStream(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error
	// HTTPHandler returns the streamable HTTP endpoint, [ErrUnsupported] if there is none.
	HTTPHandler(mode HTTPMode) (http.Handler, error)
}

// Client is a connected, ready client of the same peer.
type Client interface {
	// Echo calls the echo tool and returns structuredContent.message as the
	// peer's typed API hands it over.
	Echo(ctx context.Context, message string) (string, error)
	// ListTools returns the number of tools of the first page.
	ListTools(ctx context.Context) (int, error)
	Close() error
}

// Peer is one implementation under test. What it does not have returns [ErrUnsupported].
type Peer interface {
	Name() string
	NewServer(cfg ServerConfig) (Server, error)
	// DialInMemory uses the peer's own in-process transport, if it has one.
	DialInMemory(ctx context.Context, s Server, proto string) (Client, error)
	// DialStream speaks newline-delimited JSON over a pair of pipes.
	DialStream(ctx context.Context, in io.ReadCloser, out io.WriteCloser, proto string) (Client, error)
	// DialHTTP speaks streamable HTTP to url; hc must be used for all requests.
	DialHTTP(ctx context.Context, url string, hc *http.Client, mode HTTPMode, proto string) (Client, error)
}

// ErrUnsupported is returned by a Peer for something it does not have; the
// harness then skips the case.
var ErrUnsupported = errors.New("harness: not supported by this peer")

// ServerOnly can be embedded by peers that have no client (the floors).
type ServerOnly struct{}

func (ServerOnly) DialInMemory(context.Context, Server, string) (Client, error) {
	return nil, ErrUnsupported
}
func (ServerOnly) DialStream(context.Context, io.ReadCloser, io.WriteCloser, string) (Client, error) {
	return nil, ErrUnsupported
}
func (ServerOnly) DialHTTP(context.Context, string, *http.Client, HTTPMode, string) (Client, error) {
	return nil, ErrUnsupported
}
