package peer_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var fuzzSeeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":"x"}}}`,
	`{"jsonrpc":"2.0","id":1,"result":{}}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
	`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"result":{}},7]`,
	`{`, `"`, `[`, `nul`, "\xff",
}

// fuzzHandler asks back now and then.
var fuzzHandler = handlers{
	request: func(ctx context.Context, r *transport.Request) (wire.Raw, error) {
		if r.Method == "ask" {
			ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			return r.Out.Call(ctx, "ping", nil)
		}
		return r.Params, r.Out.Notify(ctx, "n", nil)
	},
}

// checkSent fails unless what a connection sends is a message.
func checkSent(t *testing.T, data []byte) jsonrpc.Message {
	t.Helper()
	if bytes.ContainsAny(data, "\n\r") {
		t.Fatalf("sent a line break: %q", data)
	}
	if jsonrpc.IsBatch(data) {
		list, err := jsonrpc.SplitBatch(data, 1000)
		if err != nil {
			t.Fatalf("sent %q: %v", data, err)
		}
		for _, m := range list {
			checkSent(t, m)
		}
		return jsonrpc.Message{Kind: jsonrpc.Batch}
	}
	m, err := jsonrpc.Parse(data)
	if err != nil {
		t.Fatalf("sent %q: %v", data, err)
	}
	return m
}

// FuzzMessage sends any message to a connection, in a revision with batches and in another, while
// a call of its own is waiting. It stays well: what comes after is answered.
func FuzzMessage(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	quiet := (&log{}).logger()
	f.Fuzz(func(t *testing.T, data []byte, batches bool) {
		near, end := inmem.Pair(1000)
		h := fuzzHandler
		if batches {
			h.revision = 20250326
		}
		c := newConn(near, h, &peer.Options{Limits: transport.Limits{Timeout: time.Minute}, Logger: quiet})
		done := make(chan error, 1)
		go func() { done <- c.Run(t.Context(), near) }()
		called := make(chan error, 1)
		go func() { called <- c.CallWith(t.Context(), "m", nil, nil, nil) }()
		end.Send(t.Context(), transport.Message{Data: data})
		end.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":"last","method":"m","params":{}}`)})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for {
			m, err := end.Receive(ctx)
			if err != nil {
				t.Fatalf("%q: no answer to the message behind it: %v", data, err)
			}
			if checkSent(t, m.Data).ID == wire.StringID("last") {
				break
			}
		}
		c.Close()
		for _, ended := range []<-chan error{done, called} {
			select {
			case <-ended:
			case <-ctx.Done():
				t.Fatalf("%q: something does not end", data)
			}
		}
		end.Close()
	})
}

// FuzzStream sends any bytes to a connection over a byte stream. It answers with messages, if it
// does, and ends when the stream does.
func FuzzStream(f *testing.F) {
	var all []byte
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
		all = append(append(all, s...), "\r\n"...)
	}
	f.Add(all)
	f.Add(bytes.Repeat([]byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`), 100))
	quiet := (&log{}).logger()
	f.Fuzz(func(t *testing.T, data []byte) {
		var out sink
		s := stdio.New(io.NopCloser(bytes.NewReader(data)), &out, &stdio.Options{MaxMessage: 1000, Logger: quiet})
		c := newConn(s, fuzzHandler, &peer.Options{Logger: quiet})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := c.Run(ctx, s); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			checkSent(t, bytes.TrimSuffix(line, []byte("\n")))
		}
	})
}

// A sink keeps what is written to it.
type sink struct{ bytes.Buffer }

func (s *sink) Close() error { return nil }
