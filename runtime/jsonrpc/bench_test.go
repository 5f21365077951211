package jsonrpc_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	callLegacy = `{"jsonrpc":"2.0","id":1000000000,"method":"tools/call","params":{"name":"echo","arguments":{"message":"The quick brown fox jumps over the lazy dog. The quick brown fox "}}}`
	callModern = `{"jsonrpc":"2.0","id":1000000000,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}},"name":"echo","arguments":{"message":"The quick brown fox jumps over the lazy dog. The quick brown fox "}}}`
)

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, line string }{
		{"legacy", callLegacy},
		{"modern", callModern},
		{"4KiB", strings.Replace(callLegacy, "The quick", strings.Repeat("The quick brown fox jumps. ", 150), 1)},
		{"result", `{"jsonrpc":"2.0","id":1000000000,"result":{"content":[{"type":"text","text":"The quick brown fox jumps over the lazy dog. The quick brown fox "}]}}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := []byte(c.line)
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := jsonrpc.Parse(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	params := wire.Encodable(wire.Raw(`{"name":"echo","arguments":{"message":"The quick brown fox jumps over the lazy dog."}}`))
	meta := wire.Raw(`{"progressToken":1}`)
	buf := make([]byte, 0, 1024)
	b.Run("request", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = jsonrpc.AppendRequest(buf[:0], 0, wire.IntID(1), "tools/call", params, nil)
		}
	})
	b.Run("request+meta", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = jsonrpc.AppendRequest(buf[:0], 0, wire.IntID(1), "tools/call", params, meta)
		}
	})
	b.Run("result", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = jsonrpc.EndResult(jsonrpc.BeginResult(buf[:0], wire.IntID(1)), params.(wire.Raw))
		}
	})
}

func TestNoAllocations(t *testing.T) {
	data := []byte(callModern)
	params := wire.Encodable(wire.Raw(`{"name":"echo","arguments":{}}`))
	meta := wire.Raw(`{"progressToken":1}`)
	buf := make([]byte, 0, 1024)
	for name, f := range map[string]func(){
		"parse":        func() { _, _ = jsonrpc.Parse(data) },
		"request":      func() { buf, _ = jsonrpc.AppendRequest(buf[:0], 0, wire.IntID(1), "m", params, meta) },
		"notification": func() { buf, _ = jsonrpc.AppendNotification(buf[:0], 0, "m", params, nil) },
		"result": func() {
			buf, _ = jsonrpc.EndResult(jsonrpc.BeginResult(buf[:0], wire.StringID("x")), params.(wire.Raw))
		},
		"error": func() { buf = jsonrpc.AppendError(buf[:0], wire.IntID(1), jsonrpc.ErrInternal) },
	} {
		if n := testing.AllocsPerRun(200, f); n >= 1 { // below 1: a collection emptied the pool of encoders
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
