package golden_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/mcpgen/mcpgen/golden/internal/instance"
	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// FuzzDecode sends bytes through generated decoders. What they accept encoding/json must accept too,
// and once encoded it does not change any more.
func FuzzDecode(f *testing.F) {
	types := []func() wire.Value{
		func() wire.Value { return new(mcp.CallToolRequestParams) },
		func() wire.Value { return &wire.Box[mcp.CallToolResponse]{From: mcp.DecodeCallToolResponse} },
		func() wire.Value { return new(mcp.ListToolsResult) },
		func() wire.Value { return new(mcp.InputRequiredResult) },
		func() wire.Value { return new(mcp.CreateMessageResult) },
		func() wire.Value { return new(mcp.Task) },
	}
	names := []string{"CallToolRequestParams", "CallToolResult", "ListToolsResult", "InputRequiredResult", "CreateMessageResult", "Task"}
	s, err := protocol.Merged()
	if err != nil {
		f.Fatal(err)
	}
	src := &instance.Source{Schema: s, Rand: rand.New(rand.NewPCG(1, 2)), Unknown: true}
	for i, name := range names {
		for range 4 {
			in, _ := src.Of(s.Type(name))
			f.Add(byte(i), []byte(in))
		}
	}
	f.Add(byte(0), []byte(`{"name":"n","name":"m"}`))
	f.Add(byte(0), []byte(`{"name":"\ud800","Name":1}`))
	f.Add(byte(1), []byte(`{"content":[{"type":"text","text":null}]} `))
	f.Fuzz(func(t *testing.T, which byte, in []byte) {
		make := types[int(which)%len(types)]
		v := make()
		if wire.Decode(in, v) != nil {
			return
		}
		if !json.Valid(in) {
			t.Fatalf("accepted, though it is no JSON: %q", in)
		}
		out, err := wire.Marshal(wire.Any, v)
		if err != nil {
			return // what is required is empty: only the encoder refuses that
		}
		if bytes.ContainsAny(out, "\r\n") {
			t.Fatalf("a line break in %q", out)
		}
		again := make()
		if err := wire.Decode(out, again); err != nil {
			t.Fatalf("%v\nin  %q\nout %q", err, in, out)
		}
		out2, err := wire.Marshal(wire.Any, again)
		if err != nil || !bytes.Equal(out, out2) {
			t.Fatalf("%v\nonce  %q\ntwice %q", err, out, out2)
		}
	})
}
