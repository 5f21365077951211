package wire_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestEncode(t *testing.T) {
	text := &textContent{Text: "hi", Meta: map[string]wire.Raw{"b": wire.Raw("1"), "a": wire.Raw("2")},
		Annotations: &annotations{Audience: []role{}, LastModified: "2025-01-01"}}
	for _, tt := range []struct {
		name string
		v    wire.Encodable
		rev  wire.Revision
		want string
	}{
		{"any", text, wire.Any, `{"type":"text","text":"hi","annotations":{"audience":[],"lastModified":"2025-01-01"},"_meta":{"a":2,"b":1}}`},
		{"older revisions have less", text, 20250326, `{"type":"text","text":"hi","annotations":{"audience":[]}}`},
		{"required list", &callToolResult{}, 20250618, `{"content":[]}`},
		{"filled", &callToolResult{}, 20260728, `{"resultType":"complete","content":[]}`},
		{"any fills nothing", &callToolResult{}, wire.Any, `{"content":[]}`},
		{"extra members", &callToolResult{Extra: wire.Extra{{Name: "z\n", Value: wire.Raw("1")}, {Name: "a", Value: wire.Raw("2")}}},
			20250618, `{"content":[],"z\n":1,"a":2}`},
		{"only extra members", &annotations{Extra: wire.Extra{{Name: "z", Value: wire.Raw("{}")}, {Name: "a", Value: wire.Raw("2")}}},
			20250618, `{"z":{},"a":2}`},
		{"unknown arm", &callToolResult{Content: []contentBlock{&unknownContentBlock{Raw: wire.Raw(`{"type":"new"}`)}}},
			20250618, `{"content":[{"type":"new"}]}`},
		{"null", &callToolResult{StructuredContent: wire.Raw("null")}, 20260728, `{"resultType":"complete","content":[],"structuredContent":null}`},
		// REQ STDIO-03
		{"no line breaks", &callToolResult{StructuredContent: wire.Raw("{\r\n\t\"a b\" : [1,\n2, \"\\n \"],\n\"c\":\tnull}\n")},
			wire.Any, `{"content":[],"structuredContent":{"a b":[1,2,"\n "],"c":null}}`},
		{"carriage return", wire.Raw("[\r]"), wire.Any, `[]`},
	} {
		got, err := wire.Append([]byte("prefix"), tt.rev, tt.v)
		check(t, tt.name, string(got), err, "prefix"+tt.want, "")
	}
}

func TestEncodeErrors(t *testing.T) {
	var noText *textContent
	var noUnknown *unknownContentBlock
	loop := &loop{}
	loop.next = loop
	for _, tt := range []struct {
		name string
		v    wire.Encodable
		rev  wire.Revision
		want string
	}{
		{"nil", nil, wire.Any, `wire: nothing to encode: the value is nil`},
		{"typed nil", (*callToolResult)(nil), wire.Any, `CallToolResult: the CallToolResult is nil`},
		{"nil arm", &callToolResult{Content: []contentBlock{&textContent{}, nil}}, wire.Any, `CallToolResult: content[1]: the ContentBlock is nil`},
		{"typed nil arm", &callToolResult{Content: []contentBlock{noText}}, wire.Any, `CallToolResult: content[0]: the TextContent is nil`},
		{"typed nil unknown arm", &callToolResult{Content: []contentBlock{noUnknown}}, wire.Any, `CallToolResult: content[0]: the unknownContentBlock is nil`},
		{"empty unknown arm", &callToolResult{Content: []contentBlock{&unknownContentBlock{}}}, wire.Any, `CallToolResult: content[0]: the raw value is absent`},
		{"nil union", &callToolResult{Content: []contentBlock{&embeddedResource{}}}, wire.Any, `CallToolResult: content[0].resource: the ResourceContents is nil`},
		{"type of a later revision", &icon{}, 20250618, `Icon: it exists since 2025-11-25, not in 2025-06-18`},
		{"shape of a later revision", &callToolResult{StructuredContent: wire.Raw("[]")}, 20250618, `CallToolResult: structuredContent: want object, got array`},
		{"required raw", &listToolsResult{Tools: []tool{{Name: "a"}}}, 20250618, `ListToolsResult: tools[0].inputSchema: the raw value is absent`},
		{"NaN", &textContent{Annotations: &annotations{Priority: new(math.NaN())}}, wire.Any, `TextContent: annotations.priority: NaN is not a JSON number`},
		{"infinity", &annotations{Priority: new(math.Inf(-1))}, wire.Any, `Annotations: priority: -Inf is not a JSON number`},
		{"extra of a known name", &callToolResult{Extra: wire.Extra{{Name: "isError", Value: wire.Raw("true")}}}, wire.Any,
			`CallToolResult: isError: want an extra member, got one that the type declares`},
		{"extra twice", &callToolResult{Extra: wire.Extra{{Name: "a/b", Value: wire.Raw("1")}, {Name: "a/b", Value: wire.Raw("1")}}}, wire.Any,
			`CallToolResult: ["a/b"]: duplicate extra member`},
		{"broken raw value", &callToolResult{StructuredContent: wire.Raw("{\n\"a\":}")}, wire.Any,
			`CallToolResult: structuredContent: the raw value is not valid JSON: want a value, got '}' at offset 6`},
		{"line break in a string", wire.Raw("\"a\nb\""), wire.Any,
			`wire: the raw value is not valid JSON: control character 0xa in a string, where it must be escaped, at offset 2`},
		{"missing", encodes(func(e *wire.Encoder) {
			e.Begin(&typeIcon, true)
			e.Absent("src")
		}), 20251125, `Icon: src: the member is absent, but required in 2025-11-25`},
		{"own reason", encodes(func(e *wire.Encoder) {
			e.Begin(&typeIcon, true)
			e.Key("src")
			e.Fail("is not a URL")
		}), wire.Any, `Icon: src: is not a URL`},
		{"cycle", loop, wire.Any, `Loop: …` + strings.Repeat(".next", 40) + `: nesting is deeper than 128 levels; does the value contain itself?`},
	} {
		got, err := wire.Append([]byte("prefix"), tt.rev, tt.v)
		if text := errorText(err); text != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, text, tt.want)
		}
		if string(got) != "prefix" {
			t.Errorf("%s: after the error the buffer is %q", tt.name, got)
		}
	}
}

// A loop contains itself, twice, so that walking all of it would never end.
type loop struct{ next *loop }

var typeLoop = wire.Type{Name: "Loop", Members: []string{"next", "again"}}

func (v *loop) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeLoop, v != nil) {
		return
	}
	e.Key("next")
	v.next.EncodeWire(e)
	e.Key("again")
	v.next.EncodeWire(e)
	e.End(&typeLoop, nil)
}

func TestAppendAllocatesNothing(t *testing.T) {
	v := new(callToolResult)
	if err := wire.Decode(resultText(), v); err != nil {
		t.Fatal(err)
	}
	v.Meta = map[string]wire.Raw{"b": wire.Raw("1"), "a": wire.Raw("2")}
	buf := make([]byte, 0, 16<<10)
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := wire.Append(buf, 20251125, v); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Marshal allocates what it returns, and no buffer to grow in; DecodeAlias allocates nothing but what
// it reads.
func TestBuffersAreReused(t *testing.T) {
	v := wire.Raw("[" + strings.Repeat("1,", 20) + "1]")
	many := encodes(func(e *wire.Encoder) {
		for range 20 {
			e.Raw(v)
		}
	})
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := wire.Marshal(wire.Any, many); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 3 { // with the race detector, buffers are lost at random
		t.Errorf("Marshal: %v allocations", allocs)
	}
	text, into := []byte(`{"type":"text","text":"a"}`), new(textContent)
	allocs = testing.AllocsPerRun(100, func() {
		if err := wire.DecodeAlias(text, into); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("DecodeAlias: %v allocations", allocs)
	}
}

// Text that needs escapes grows the buffer as it goes.
func TestEncodeGrows(t *testing.T) {
	for _, tt := range []struct{ in, out string }{{"\x01", `\u0001`}, {"\"", `\"`}, {"\xff", "\ufffd"}, {"é", "é"}, {"😀", "😀"}} {
		for n := range 70 {
			s := strings.Repeat("x", n) + strings.Repeat(tt.in, n) + strings.Repeat("y", n)
			want := `"` + strings.Repeat("x", n) + strings.Repeat(tt.out, n) + strings.Repeat("y", n) + `"`
			got, err := wire.Append(nil, wire.Any, encodes(func(e *wire.Encoder) { e.String(s) }))
			check(t, s, string(got), err, want, "")
		}
	}
}
