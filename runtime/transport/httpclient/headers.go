package httpclient

// Each POST says in its headers what an intermediary may want to know: the revision, the session, and since 2026-07-28 the
// method, the name of what is called, and the arguments that a tool wants repeated, which the client of the protocol passes
// with the message.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header and
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http.

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// versionOf returns the revision that a message names, empty if it names none.
func versionOf(m *jsonrpc.Message) string { return m.Meta.StringAt(mcp.KeyProtocolVersion) }

// headers returns the headers of an HTTP request, in a session or without one. It is called with mu held. The
// message is nil unless the request is a POST.
//
// REQ HTTP-07, HDR-01, VER-01, HDR-02, SESS-05, SESS-12
func (c *Client) headers(m *jsonrpc.Message, s session, mirrored map[string]string) http.Header {
	h := c.opts.Header.Clone()
	if h == nil {
		h = make(http.Header, 6)
	}
	version := s.version
	if m != nil {
		h.Set("Content-Type", "application/json")
		h.Set("Accept", "application/json, "+eventstream.ContentType)
		if own := versionOf(m); own != "" {
			version = own
		} else if version == "" && m.Kind == jsonrpc.Notification {
			version = c.modern
		}
		if version != "" && s.version == "" {
			mirror(h, m, mirrored)
		}
		mirrorTrace(h, m.Meta)
	}
	if s.id != "" {
		h.Set(mcpheader.SessionID, s.id)
	}
	if version != "" {
		h.Set(mcpheader.ProtocolVersion, version)
	}
	return h
}

// mirror adds the headers that repeat parts of a message, since 2026-07-28.
//
// REQ HDR-02, HDR-03, HDR-04, XHDR-02
func mirror(h http.Header, m *jsonrpc.Message, params map[string]string) {
	if m.Method == "" {
		return
	}
	h.Set(mcpheader.Method, m.Method)
	if member := mcpheader.NameMember(m.Method); member != "" {
		h.Set(mcpheader.Name, mcpheader.Encode(m.Params.StringAt(member)))
	}
	for name, value := range params {
		h.Set(name, mcpheader.Encode(value))
	}
}

// mirrorTrace adds the headers that repeat the trace context of a message, for intermediaries between client and
// server: W3C Trace Context and W3C Baggage.
func mirrorTrace(h http.Header, meta wire.Raw) {
	if len(meta) == 0 || !bytes.Contains(meta, []byte("traceparent")) {
		return
	}
	invisible := func(r rune) bool { return r < ' ' || r > '~' }
	for _, name := range [...]string{"Traceparent", "Tracestate", "Baggage"} {
		if value := meta.StringAt(strings.ToLower(name)); value != "" && !strings.ContainsFunc(value, invisible) {
			h.Set(name, value)
		}
	}
}
