package main

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A translator reads messages into the types of package mcp and writes them again. It knows which
// requests are open, because an answer does not say what it answers.
type translator struct {
	log *slog.Logger

	mu   sync.Mutex
	open map[request]string // their methods
	idle chan struct{}      // closed when the client has no open request; nil if nobody waits
}

// A request is known by who sent it and by its id.
type request struct {
	from wire.Side
	id   wire.ID
}

// maxOpen bounds the requests that are remembered. The answers to more go through as they are.
const maxOpen = 10_000

func newTranslator(log *slog.Logger) *translator {
	return &translator{log: log, open: make(map[request]string)}
}

// translate returns the message to send in place of one that a side has sent: one with the same
// meaning. A message that cannot be read is none of our business, and goes through as it is.
func (t *translator) translate(from wire.Side, data []byte) transport.Message {
	m, err := jsonrpc.Parse(data)
	if err != nil {
		t.log.Debug("no single message", "from", name(from), "reason", err)
		return transport.Message{Data: data}
	}
	out := transport.Message{Data: data, Kind: m.Kind, ID: m.ID}
	switch m.Kind {
	case jsonrpc.Request, jsonrpc.Notification:
		t.began(from, &m)
		if method := methodOf(from, m.Method); method != nil && method.NewParams != nil {
			out.Data = t.again(from, m.Method, data, "params", m.Params, method.NewParams())
		} else {
			t.log.Debug(m.Method, "from", name(from))
		}
	case jsonrpc.Response:
		answered := t.ended(from, m.ID)
		if method := methodOf(other(from), answered); method != nil && method.NewResult != nil {
			out.Data = t.again(from, answered, data, "result", m.Result, method.NewResult())
		}
	case jsonrpc.ErrorResponse:
		t.log.Debug("error", "from", name(from), "of", t.ended(from, m.ID), "error", m.Error)
	}
	return out
}

// methodOf returns the method of that name that a side sends, nil if it is unknown.
func methodOf(from wire.Side, method string) *wire.Method {
	if from == wire.Client {
		return mcp.ServerMethod(method)
	}
	return mcp.ClientMethod(method)
}

// again returns a message in which one member was read as v and written again.
func (t *translator) again(from wire.Side, method string, message []byte, member string, text wire.Raw, v wire.Value) []byte {
	if text == nil {
		t.log.Debug(method, "from", name(from))
		return message
	}
	err := wire.Decode(text, v)
	if err != nil {
		t.log.Warn("this does not fit the protocol", "from", name(from), "method", method, "error", err)
		return message
	}
	t.see(from, method, member, v)
	written, err := wire.Marshal(wire.Any, v) // everything, whatever the revision
	if err != nil {
		t.log.Warn("this cannot be written again", "from", name(from), "method", method, "error", err)
		return message
	}
	if bytes.Equal(written, text) {
		return message
	}
	return replace(message, member, written)
}

// see is where a proxy with a purpose would have its say: v can be changed.
func (t *translator) see(from wire.Side, method, member string, v wire.Value) {
	args := []any{"from", name(from), "has", member}
	switch v := v.(type) {
	case *mcp.CallToolRequestParams:
		args = append(args, "tool", v.Name)
	case *mcp.ListToolsResult:
		args = append(args, "tools", len(v.Tools))
	}
	t.log.Debug(method, args...)
}

// replace returns a message with another value of one member, and all others as they are, those
// that JSON-RPC does not know included.
func replace(message []byte, member string, value wire.Raw) []byte {
	e := envelope{member: member, value: value}
	if wire.Decode(message, &e) != nil {
		return message // it was parsed before, so this does not happen
	}
	data, err := wire.Marshal(wire.Any, &e)
	if err != nil {
		return message
	}
	return data
}

// An envelope is a message of which one member gets another value.
type envelope struct {
	member  string
	value   wire.Raw
	members wire.Members[wire.Raw]
}

func (v *envelope) DecodeWire(d *wire.Decoder) {
	v.members = wire.Ordered(d, (*wire.Raw).DecodeWire)
	v.members.Set(v.member, v.value)
}

func (v *envelope) EncodeWire(e *wire.Encoder) {
	wire.PutOrdered(e, v.members, func(r *wire.Raw, e *wire.Encoder) { e.Raw(*r) })
}

// began takes note of a request, or of a cancellation of one.
func (t *translator) began(from wire.Side, m *jsonrpc.Message) {
	if m.Kind == jsonrpc.Request {
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.open) < maxOpen {
			t.open[request{from, m.ID}] = strings.Clone(m.Method)
		}
		return
	}
	var p mcp.CancelledNotificationParams
	if m.Method == mcp.MethodCancelledNotification.Name && wire.Decode(m.Params, &p) == nil {
		t.ended(other(from), p.RequestID)
	}
}

// ended takes note of an answer, and returns the method that it answers, empty if that is unknown.
func (t *translator) ended(from wire.Side, id wire.ID) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := request{other(from), id}
	method := t.open[q]
	delete(t.open, q)
	t.tell()
	return method
}

// tell tells who waits for it that the client has no open request. It is called with mu.
func (t *translator) tell() {
	if t.idle == nil {
		return
	}
	for q, method := range t.open {
		if q.from == wire.Client && method != mcp.MethodSubscriptionsListen.Name {
			return
		}
	}
	close(t.idle)
	t.idle = nil
}

// awaitAnswers waits until the client's requests are answered, all but its subscriptions.
func (t *translator) awaitAnswers(limit time.Duration) {
	idle := make(chan struct{})
	t.mu.Lock()
	t.idle = idle
	t.tell()
	t.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(limit):
	}
}

// other returns the side to which a side sends.
func other(side wire.Side) wire.Side {
	if side == wire.Client {
		return wire.Server
	}
	return wire.Client
}

func name(side wire.Side) string {
	if side == wire.Client {
		return "client"
	}
	return "server"
}
