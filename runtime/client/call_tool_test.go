package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type forecast struct {
	City string `json:"city"`
	Days []int  `json:"days"`
}

// What results become as Go values.
func TestDecode(t *testing.T) {
	structured := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{StructuredContent: wire.Raw(text), Content: []mcp.ContentBlock{&mcp.TextContent{Text: "a summary"}}}
	}
	plain := server.TextResult
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		got  func() (any, error)
		want any
	}{
		{decode[forecast](structured(`{"city":"Oslo","days":[1,2]}`)), forecast{"Oslo", []int{1, 2}}},
		{decode[*forecast](structured(`{"city":"Oslo"}`)), &forecast{City: "Oslo"}},
		{decode[forecast](plain(`{"city":"Oslo"}`)), forecast{City: "Oslo"}},
		{decode[[]int](structured(`[1,2]`)), []int{1, 2}},
		{decode[[]int](structured(`{"result":[1,2]}`)), []int{1, 2}},
		{decode[[]int](plain(`[1,2]`)), []int{1, 2}},
		{decode[int](structured(`{"result":7}`)), 7},
		{decode[time.Time](structured(`{"result":"2026-01-02T00:00:00Z"}`)), day},
		{decode[map[string]int](structured(`{"result":7}`)), map[string]int{"result": 7}},
		{decode[any](structured(`{"result":7}`)), map[string]any{"result": 7.0}},
		{decode[string](plain("no JSON")), "no JSON"},
		{decode[string](structured(`{"result":"x"}`)), "x"},
		{decode[wire.Raw](structured(`{"result":1}`)), wire.Raw(`{"result":1}`)},
		{decode[forecast](plain("no JSON")), errors.New(`the text of the result does not decode as client_test.forecast: ` +
			`invalid character 'o' in literal null (expecting 'u'); it is no JSON`)},
		{decode[int](structured(`{"result":"x"}`)), errors.New(`the structured content does not decode as int: ` +
			`json: cannot unmarshal string into Go value of type int; it is "x"`)},
	} {
		got, err := test.got()
		if want, ok := test.want.(error); ok {
			if err == nil || err.Error() != want.Error() {
				t.Errorf("got %v, %v\nwant %v", got, err, want)
			}
		} else if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("got %#v, %v, want %#v", got, err, test.want)
		}
	}
	r := plain("x")
	if got, err := client.Decode[*mcp.CallToolResult](r); got != r || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

// A failed tool has no value, and JSON may follow other texts.
func TestDecodeFailed(t *testing.T) {
	yes := true
	failed := &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "null"}}}
	failed.IsError = &yes
	for _, f := range []func() (any, error){decode[string](failed), decode[forecast](failed), decode[any](failed)} {
		_, err := f()
		if tool := (*client.ToolError)(nil); !errors.As(err, &tool) || tool.Result != failed || err.Error() != "the tool failed: null" {
			t.Errorf("got %v, want a ToolError", err)
		}
	}
	if got, err := client.Decode[*mcp.CallToolResult](failed); got != failed || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	several := &mcp.CallToolResult{Content: []mcp.ContentBlock{
		&mcp.TextContent{Text: "The weather:"}, &mcp.TextContent{Text: `{"city":"Oslo","days":[1]}`}, &mcp.ResourceLink{URI: "file:///c"},
	}}
	if got, err := client.Decode[forecast](several); err != nil || got.City != "Oslo" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := client.Decode[forecast](&mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "no JSON"}}}); err == nil || !strings.Contains(err.Error(), "it is no JSON") {
		t.Errorf("got %v", err)
	}
}

func decode[Out any](r *mcp.CallToolResult) func() (any, error) {
	return func() (any, error) { return client.Decode[Out](r) }
}

// Arguments of any kind, results of a type, and errors of tools and of the protocol, in every revision.
func TestCallTool(t *testing.T) {
	for _, rev := range server.Revisions() {
		t.Run(rev.String(), func(t *testing.T) {
			s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: quiet})
			s.AddTool(mcp.Tool{Name: "forecast", InputSchema: wire.Raw(`{"type":"object"}`)}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
				if city := args.StringAt("city"); city != "" {
					return &mcp.CallToolResult{StructuredContent: wire.Raw(fmt.Sprintf(`{"city":%q,"days":[1]}`, city))}, nil
				}
				return nil, errors.New("city: required, but absent")
			})
			c := connect(t, s, &client.Options{Revisions: []wire.Revision{rev}})
			want := forecast{"Oslo", []int{1}}
			for _, in := range []any{forecast{City: "Oslo"}, &forecast{City: "Oslo"}, map[string]any{"city": "Oslo"}, wire.Raw(`{"city":"Oslo"}`)} {
				if got, err := client.CallTool[forecast](t.Context(), c, "forecast", in); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%v: got %v, %v", in, got, err)
				}
			}
			_, err := client.CallTool[forecast](t.Context(), c, "forecast", nil)
			if failed := (*client.ToolError)(nil); !errors.As(err, &failed) || err.Error() != `tool "forecast" failed: city: required, but absent` || !failed.Result.GetIsError() {
				t.Errorf("got %v, want a ToolError", err)
			}
			_, err = client.CallTool[forecast](t.Context(), c, "unknown", nil)
			if rpc := (*jsonrpc.Error)(nil); !errors.As(err, &rpc) {
				t.Errorf("got %v, want an error of the protocol", err)
			}
			_, err = client.CallTool[int](t.Context(), c, "forecast", forecast{City: "Oslo"})
			if err == nil || !strings.HasPrefix(err.Error(), `client: tool "forecast": the `) {
				t.Errorf("got %v", err)
			}
			for _, in := range []any{7, []int{1}, func() {}} {
				if _, err := client.CallTool[int](t.Context(), c, "forecast", in); err == nil || !strings.HasPrefix(err.Error(), `client: tool "forecast": arguments: `) {
					t.Errorf("%T: got %v", in, err)
				}
			}
		})
	}
}

// WithResult gets the content beside what a call decodes, whatever becomes of that.
func TestWithResult(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: quiet})
	s.AddTool(mcp.Tool{Name: "chart", InputSchema: wire.Raw(`{"type":"object"}`)}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		if args.StringAt("city") == "" {
			return nil, errors.New("no city")
		}
		return &mcp.CallToolResult{StructuredContent: wire.Raw(`{"city":"Oslo"}`), Content: []mcp.ContentBlock{
			&mcp.ImageContent{MIMEType: "image/png", Data: wire.EncodeBase64([]byte("x"))}}}, nil
	})
	c := connect(t, s, nil)
	var whole *mcp.CallToolResult
	ctx := client.WithResult(t.Context(), func(r *mcp.CallToolResult) { whole = r })
	for _, test := range []struct {
		call func() error
		ok   bool
		want string
	}{
		{func() error { _, err := client.CallTool[forecast](ctx, c, "chart", forecast{City: "Oslo"}); return err }, true, "image/png"},
		{func() error { _, err := client.CallTool[int](ctx, c, "chart", forecast{City: "Oslo"}); return err }, false, "image/png"},
		{func() error {
			var out wire.Raw
			_, err := client.CallToolWire(ctx, c, "chart", new(wire.Raw(`{"city":"Oslo"}`)), &out)
			return err
		}, true, "image/png"},
		{func() error { _, err := client.CallTool[int](ctx, c, "chart", nil); return err }, false, "no city"},
		{func() error { _, err := client.CallTool[int](ctx, c, "none", nil); return err }, false, ""},
	} {
		whole = nil
		if err := test.call(); (err == nil) != test.ok {
			t.Errorf("got %v", err)
		}
		got := ""
		if whole != nil {
			got = client.Text(whole.Content)
			if blobs, _ := client.Blobs(whole.Content); len(blobs) > 0 {
				got = blobs[0].MIMEType
			}
		}
		if got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestContent(t *testing.T) {
	content := []mcp.ContentBlock{
		&mcp.TextContent{Text: "one"},
		&mcp.ImageContent{MIMEType: "image/png", Data: wire.EncodeBase64([]byte("\x89PNG"))},
		&mcp.AudioContent{MIMEType: "audio/wav", Data: wire.EncodeBase64([]byte("RIFF"))},
		&mcp.EmbeddedResource{Resource: &mcp.BlobResourceContents{URI: "file:///a", Blob: wire.EncodeBase64([]byte("a"))}},
		&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "file:///b", Text: "two"}},
		&mcp.ResourceLink{URI: "file:///c"},
	}
	if got := client.Text(content); got != "one\ntwo" {
		t.Errorf("got %q", got)
	}
	got, err := client.Blobs(content)
	want := []client.Blob{{"image/png", "", []byte("\x89PNG")}, {"audio/wav", "", []byte("RIFF")}, {"", "file:///a", []byte("a")}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	content[1] = &mcp.ImageContent{Data: wire.Base64{Text: "?"}}
	if _, err := client.Blobs(content); err == nil || !strings.HasPrefix(err.Error(), "client: content[1]: ") {
		t.Errorf("got %v", err)
	}
}

// What encoding/json leaves as it is is not taken out of an object with the member "result", whatever name it has.
func TestDecodeRaw(t *testing.T) {
	r := &mcp.CallToolResult{StructuredContent: wire.Raw(`{"result":7}`)}
	raw, err := client.Decode[json.RawMessage](r)
	if err != nil || string(raw) != `{"result":7}` {
		t.Errorf("got %s, %v", raw, err)
	}
	if n, err := client.Decode[int](r); err != nil || n != 7 {
		t.Errorf("got %d, %v", n, err)
	}
}

// The text of a tool that failed is cut when it has more than 1000 bytes.
func TestToolErrorIsCut(t *testing.T) {
	for n, whole := range map[int]bool{1000: true, 1001: false} {
		e := &client.ToolError{Result: &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: strings.Repeat("x", n)}}}}
		if got := strings.Count(e.Error(), "x"); (got == n) != whole || got < 990 {
			t.Errorf("of %d bytes %d are kept", n, got)
		}
	}
}

// Arguments that cannot be encoded are an error before anything is sent.
func TestCallToolArguments(t *testing.T) {
	if _, err := client.CallTool[string](t.Context(), nil, "t", func() {}); err == nil || !strings.HasPrefix(err.Error(), `client: tool "t": arguments: json: `) {
		t.Errorf("got %v", err)
	}
}
