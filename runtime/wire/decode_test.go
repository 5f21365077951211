package wire_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func decodeResult(data string) (*callToolResult, error) {
	v := new(callToolResult)
	return v, wire.Decode([]byte(data), v)
}

func TestDecode(t *testing.T) {
	got, err := decodeResult(` { "content" : [
		{"type":"text","text":"a\n","annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":null}},
		{"mimeType":"image/png","data":"AAAA","type":"image","_meta":{"k":[1, 2]}},
		{"type":"resource","resource":{"uri":"file:///x","text":""}},
		{"type":"resource","resource":{"uri":"file:///x","blob":"AA=="},"annotations":null},
		{"type":"resource","resource":{"uri":"file:///x"}},
		{"type":"hologram","depth":3}
	], "structuredContent": null, "isError":false, "x-one":1, "x-two": {"a" : 1} } `)
	if err != nil {
		t.Fatal(err)
	}
	want := &callToolResult{
		Content: []contentBlock{
			&textContent{Text: "a\n", Annotations: &annotations{Audience: []role{"user", "assistant"}, Priority: new(0.5)}},
			&imageContent{Data: "AAAA", MIMEType: "image/png", Meta: map[string]wire.Raw{"k": wire.Raw("[1, 2]")}},
			&embeddedResource{Resource: &textResource{URI: "file:///x"}},
			&embeddedResource{Resource: &blobResource{URI: "file:///x", Blob: "AA=="}},
			&embeddedResource{Resource: &unknownResourceContents{Raw: wire.Raw(`{"uri":"file:///x"}`)}},
			&unknownContentBlock{Raw: wire.Raw(`{"type":"hologram","depth":3}`)},
		},
		StructuredContent: wire.Raw("null"),
		IsError:           new(false),
		Extra:             wire.Extra{{Name: "x-one", Value: wire.Raw("1")}, {Name: "x-two", Value: wire.Raw(`{"a" : 1}`)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDecodeErrors(t *testing.T) {
	deep := func(n int) string {
		return `{"content":[],"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	for _, tt := range []struct{ data, want string }{
		{``, `CallToolResult: want object, got the end of the input at offset 0`},
		{`[]`, `CallToolResult: want object, got array`},
		{`null`, `CallToolResult: want object, got null`},
		{"\ufeff{}", `CallToolResult: want object, got '\ufeff' at offset 0`},
		{`{"content":[]} x`, `CallToolResult: want nothing after the value, got 'x' at offset 15`},
		{`{"content":[]}{}`, `CallToolResult: want nothing after the value, got object at offset 14`},
		{`{}`, `CallToolResult: missing required member: content`},
		{`{"Content":[]}`, `CallToolResult: missing required member: content`},
		{`{"content":[{"type":"text"},{"type":"image","mimeType":"m"},{"type":"resource","resource":{"text":""}}]}`,
			`CallToolResult: missing required members: content[0].text, content[1].data, content[2].resource.uri`},
		{`{"content":[` + strings.Repeat(`{"type":"text"},`, 22) + `{"type":"text","text":""}]}`,
			`CallToolResult: missing required members: content[0].text, content[1].text, content[2].text, content[3].text, ` +
				`content[4].text, content[5].text, content[6].text, content[7].text, content[8].text, content[9].text, ` +
				`content[10].text, content[11].text, content[12].text, content[13].text, content[14].text, content[15].text, ` +
				`content[16].text, content[17].text, content[18].text, content[19].text and 2 more`},
		{`{"content":null}`, `CallToolResult: content: want array, got null`},
		{`{"content":{}}`, `CallToolResult: content: want array, got object`},
		{`{"content":["text"]}`, `CallToolResult: content[0]: want object, got string`},
		{`{"content":[{"type":"text","text":"a"},{"type":"text","text":5}]}`, `CallToolResult: content[1].text: want string, got number`},
		{`{"content":[{"type":"text","text":"a","annotations":{"priority":"1"}}]}`, `CallToolResult: content[0].annotations.priority: want number, got string`},
		{`{"content":[{"type":"text","text":"a","annotations":{"priority":1e400}}]}`,
			`CallToolResult: content[0].annotations.priority: want number in the range of float64, got 1e400`},
		{`{"content":[{"type":"text","text":"a","annotations":{"audience":["user",1]}}]}`, `CallToolResult: content[0].annotations.audience[1]: want string, got number`},
		{`{"content":[{"type":"text","text":"a","_meta":{"io.x/y":tru}}]}`, `CallToolResult: content[0]._meta["io.x/y"]: want true, got an unknown word at offset 56`},
		{`{"content":[],"isError":"true"}`, `CallToolResult: isError: want boolean, got string`},
		{`{"content":[],"content":[]}`, `CallToolResult: duplicate member "content"`},
		{`{"content":[],"x":1,"\u0078":1}`, `CallToolResult: duplicate member "x"`},
		{`{"content":[{"type":"text","text":"a","_meta":{"k":1,"k":2}}]}`, `CallToolResult: content[0]._meta: duplicate member "k"`},
		{`{"content":[],}`, `CallToolResult: want a member's name, got '}' at offset 14`},
		{`{"content":[] "x":1}`, `CallToolResult: want ',' or '}' after a member, got string at offset 14`},
		{`{"content" []}`, `CallToolResult: want ':' after a member's name, got array at offset 11`},
		{`{content:[]}`, `CallToolResult: want a member's name, got 'c' at offset 1`},
		{`{,"content":[]}`, `CallToolResult: want a member's name, got ',' at offset 1`},
		{`{"content":[`, `CallToolResult: content[0]: want object, got the end of the input at offset 12`},
		{`{"content":[{"type":"text","text":"a"}`, `CallToolResult: content: want ',' or ']' after an element, got the end of the input at offset 38`},
		{`{"content":[{"type":"text","text":"a"},]}`, `CallToolResult: content[1]: want object, got ']' at offset 39`},
		{`{"content":[{"type":"text","text":"a` + "\n" + `"}]}`,
			`CallToolResult: content[0].text: control character 0xa in a string, where it must be escaped, at offset 36`},
		{`{"content":[{"type":"text","text":"a` + "\xff" + `"}]}`, `CallToolResult: content[0].text: invalid UTF-8 in a string at offset 36`},
		{`{"content":[{"type":"text","text":"\x"}]}`, `CallToolResult: content[0].text: invalid escape in a string at offset 35`},
		{`{"content":[{"type":"text","text":"\u12g4"}]}`, `CallToolResult: content[0].text: invalid escape in a string at offset 35`},
		{`{"content":[{"type":"text","text":"a\n`, `CallToolResult: content[0].text: the string is not closed at the end of the input`},
		{`{"content":[],"structuredContent":{"a\x":1}}`, `CallToolResult: structuredContent: invalid escape in a string at offset 37`},
		{`{"content":[{"type":"text","text":"a`, `CallToolResult: content[0].text: the string is not closed at the end of the input`},
		{`{"content":[],"x":{"a":[1,2,{"b":01}]}}`, `CallToolResult: x.a[2].b: want ',' or '}' after a member, got number at offset 34`},
		{`{"content":[],"x":[1 2]}`, `CallToolResult: x: want ',' or ']' after an element, got number at offset 21`},
		{`{"content":[],"x":-}`, `CallToolResult: x: want a digit, got '}' at offset 19`},
		{`{"content":[],"x":1.}`, `CallToolResult: x: want a digit, got '}' at offset 20`},
		{`{"content":[],"x":}`, `CallToolResult: x: want a value, got '}' at offset 18`},
		{`{"content":[],"x":` + "\x80", `CallToolResult: x: want a value, got byte 0x80 at offset 18`},
		{deep(127), ``},
		{deep(128), `CallToolResult: …0]` + strings.Repeat("[0]", 66) + `: nesting is deeper than 128 levels`},
		{`{"content":[],"` + strings.Repeat("k", 100) + `":x}`,
			`CallToolResult: ["` + strings.Repeat("k", 40) + `"…]: want a value, got 'x' at offset 117`},
	} {
		_, err := decodeResult(tt.data)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.data, got, tt.want)
		}
	}
}

func TestDecodeErrorFields(t *testing.T) {
	_, err := decodeResult(`{"content":[{"type":"text","text":5}]}`)
	want := &wire.DecodeError{Type: "CallToolResult", Path: "content[0].text", Offset: 34, Msg: "want string, got number"}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A value that was used before is reset, and its members do not count as having come already.
func TestDecodeIntoUsedValue(t *testing.T) {
	v := new(callToolResult)
	for _, data := range []string{
		`{"content":[{"type":"text","text":"a"}],"isError":true,"x":1,"_meta":{"a":1}}`,
		`{"content":[],"x":2}`,
	} {
		if err := wire.Decode([]byte(data), v); err != nil {
			t.Fatal(err)
		}
	}
	want := &callToolResult{Content: []contentBlock{}, Extra: wire.Extra{{Name: "x", Value: wire.Raw("2")}}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Finding duplicates among unknown names takes linear time.
func TestDecodeManyUnknownMembers(t *testing.T) {
	message := func(n int) []byte {
		var b strings.Builder
		b.WriteString(`{"content":[]`)
		for i := range n {
			b.WriteString(`,"k` + strings.Repeat("x", i%7) + wire.IntID(int64(i)).String() + `":0`)
		}
		b.WriteString(`}`)
		return []byte(b.String())
	}
	data := message(40000)
	data = append(data[:len(data)-1], `,"kx1":0}`...)
	_, err := decodeResult(string(data))
	if want := `CallToolResult: duplicate member "kx1"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	// As many members at once, or by a twentieth each time.
	least := func(n, times int) time.Duration {
		data, least := message(n), time.Hour
		for range 3 {
			start := cpuTime(t)
			for range times {
				v := new(callToolResult)
				if err := wire.Decode(data, v); err != nil {
					t.Fatal(err)
				}
				if len(v.Extra) != n {
					t.Fatalf("%d members, want %d", len(v.Extra), n)
				}
				if _, err := wire.Append(nil, wire.Any, v); err != nil {
					t.Fatal(err)
				}
			}
			least = min(least, cpuTime(t)-start)
		}
		return least
	}
	if parts, whole := least(2000, 20), least(40000, 1); whole > 6*parts {
		t.Errorf("20 times 2000 members take %v, 40000 at once %v: more than linear time", parts, whole)
	}
}

// Decode copies; DecodeAlias does not.
func TestDecodeAlias(t *testing.T) {
	const message = `{"content":[{"type":"text","text":"aaa"}],"structuredContent":{"b":1}}`
	for _, tt := range []struct {
		decode    func([]byte, wire.Decodable) error
		text, raw string
	}{
		{wire.Decode, "aaa", `{"b":1}`},
		{wire.DecodeAlias, "ZZZ", `ZZZZZZZ`},
	} {
		data, v := []byte(message), new(callToolResult)
		if err := tt.decode(data, v); err != nil {
			t.Fatal(err)
		}
		copy(data, strings.Repeat("Z", len(data)))
		if got := v.Content[0].(*textContent).Text; got != tt.text {
			t.Errorf("text %q, want %q", got, tt.text)
		}
		if got := string(v.StructuredContent); got != tt.raw {
			t.Errorf("raw %q, want %q", got, tt.raw)
		}
		// Appending to a raw value must not write into its neighbours.
		if extended := append(v.StructuredContent, 'x'); &extended[0] == &v.StructuredContent[0] {
			t.Error("a raw value has spare capacity")
		}
	}
}

func TestRawCheck(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`{"a":[1,-2.5e+3,true,false,null,"\ud800\u0000"],"a":{}}`, ``},
		{" \t\r\n0 ", ``},
		{``, `wire: want a value, got the end of the input at offset 0`},
		{`{"a":[1,}`, `wire: a[1]: want a value, got '}' at offset 8`},
		{`1 2`, `wire: want nothing after the value, got number at offset 2`},
		{`"é` + "\xc3" + `"`, `wire: invalid UTF-8 in a string at offset 3`},
		{`"` + "\xed\xa0\x80" + `"`, `wire: invalid UTF-8 in a string at offset 1`},
		{strings.Repeat("[", 128) + strings.Repeat("]", 128), ``},
		{strings.Repeat("[", 1e6), `wire: …0]` + strings.Repeat("[0]", 66) + `: nesting is deeper than 128 levels`},
	} {
		got := ""
		if err := wire.Raw(tt.raw).Check(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%.80s\n got %s\nwant %s", tt.raw, got, tt.want)
		}
	}
}
