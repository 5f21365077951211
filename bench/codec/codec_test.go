package codec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"testing"

	"github.com/go-faster/jx"
	v2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
	segjson "github.com/segmentio/encoding/json"

	"github.com/mcpgen/mcpgen/bench/harness"
)

// tooDeep reports whether data nests deeper than 1000 levels, which go-sdk looks for before it
// decodes.
func tooDeep(data []byte) bool {
	level, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{' || c == '[':
			if level++; level > 1000 {
				return true
			}
		case c == '}' || c == ']':
			level--
		}
	}
	return false
}

var errDepth = errors.New("too deep")

// sdkUnmarshal decodes with the settings of go-sdk.
func sdkUnmarshal(data []byte, v any) error {
	if tooDeep(data) {
		return errDepth
	}
	d := segjson.NewDecoder(bytes.NewReader(data))
	d.DontMatchCaseInsensitiveStructFields()
	return d.Decode(v)
}

// sdkMarshal encodes with the settings of go-sdk.
func sdkMarshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

func v2Unmarshal(b []byte, v any) error  { return v2.Unmarshal(b, v) }
func v2Marshal(v any) ([]byte, error)    { return v2.Marshal(v) }
func stdMarshal(v any) ([]byte, error)   { return json.Marshal(v) }
func stdUnmarshal(b []byte, v any) error { return json.Unmarshal(b, v) }

// codecCase is one codec applied to one payload.
type codecCase struct {
	name   string
	dec    func([]byte) (any, error)
	enc    func(any) ([]byte, error)
	decode bool
}

func mk[T any](name string, dec func([]byte, any) error, enc func(any) ([]byte, error)) codecCase {
	return codecCase{name: name, enc: enc, decode: true, dec: func(b []byte) (any, error) {
		v := new(T)
		return v, dec(b, v)
	}}
}

type payload struct {
	name  string
	data  []byte
	cases []codecCase
}

func payloads() []payload {
	return []payload{
		{"params1KB", Params(), append([]codecCase{
			mk[gosdk.CallToolParamsRaw]("std_gosdk-types-raw-args", stdUnmarshal, stdMarshal),
			mk[gosdk.CallToolParamsRaw]("gosdk-own_raw-args", sdkUnmarshal, sdkMarshal),
			mk[gosdk.CallToolParams]("gosdk-own_any-args", sdkUnmarshal, sdkMarshal),
			mk[mcpgo.CallToolParams]("mcpgo-types_any-args", stdUnmarshal, stdMarshal),
			mk[callParams[json.RawMessage]]("std_plain", stdUnmarshal, stdMarshal),
			mk[callParams[jsontext.Value]]("v2exp_plain", v2Unmarshal, v2Marshal),
		}, slices.Concat(ours[mcp.CallToolRequestParams](), extraParams())...)},
		{"result3items", Result(), append([]codecCase{
			mk[gosdk.CallToolResult]("std_gosdk-types", stdUnmarshal, stdMarshal),
			mk[gosdk.CallToolResult]("gosdk-own", sdkUnmarshal, sdkMarshal),
			mk[mcpgo.CallToolResult]("mcpgo-types", stdUnmarshal, stdMarshal),
			mk[callResult[json.RawMessage]]("std_plain", stdUnmarshal, stdMarshal),
			mk[callResult[jsontext.Value]]("v2exp_plain", v2Unmarshal, v2Marshal),
			{name: "jx_handwritten", decode: true,
				dec: func(b []byte) (any, error) {
					v := new(callResult[jx.Raw])
					d := jx.GetDecoder()
					d.ResetBytes(b)
					err := decodeResult(d, v)
					jx.PutDecoder(d)
					return v, err
				},
				enc: func(v any) ([]byte, error) {
					e := jx.GetEncoder()
					encodeResult(e, v.(*callResult[jx.Raw]))
					b := bytes.Clone(e.Bytes())
					jx.PutEncoder(e)
					return b, nil
				}},
		}, slices.Concat(ours[mcp.CallToolResult](), extraResult())...)},
		{"list200tools", Tools(), append([]codecCase{
			mk[gosdk.ListToolsResult]("std_gosdk-types", stdUnmarshal, stdMarshal),
			mk[gosdk.ListToolsResult]("gosdk-own", sdkUnmarshal, sdkMarshal),
			mk[mcpgo.ListToolsResult]("mcpgo-types", stdUnmarshal, stdMarshal),
			mk[listResult[json.RawMessage]]("std_plain-raw-schema", stdUnmarshal, stdMarshal),
			mk[listResult[jsontext.Value]]("v2exp_plain-raw-schema", v2Unmarshal, v2Marshal),
		}, slices.Concat(ours[mcp.ListToolsResult](), extraTools())...)},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, p := range payloads() {
		if !json.Valid(p.data) {
			t.Fatalf("%s: invalid payload", p.name)
		}
		t.Logf("%s: %d bytes", p.name, len(p.data))
		for _, c := range p.cases {
			v, err := c.dec(p.data)
			if err != nil {
				t.Errorf("%s/%s: decode: %v", p.name, c.name, err)
				continue
			}
			b, err := c.enc(v)
			if err != nil {
				t.Errorf("%s/%s: encode: %v", p.name, c.name, err)
				continue
			}
			if !holds(parse(t, b), parse(t, p.data)) {
				t.Errorf("%s/%s: %d bytes back from %d, where something is lost or changed: %.200s", p.name, c.name, len(b), len(p.data), b)
			}
		}
	}
}

func parse(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Errorf("%v in %.200s", err, b)
	}
	return v
}

// holds reports whether got has all that want has; some codecs add members with default values.
func holds(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		for name, v := range want {
			ok = ok && holds(got[name], v)
		}
		return ok
	case []any:
		got, ok := got.([]any)
		ok = ok && len(got) == len(want)
		for i := 0; ok && i < len(want); i++ {
			ok = holds(got[i], want[i])
		}
		return ok
	}
	return got == want
}

func BenchmarkDecode(b *testing.B) {
	for _, p := range payloads() {
		for _, c := range p.cases {
			b.Run(p.name+"/"+c.name, func(b *testing.B) {
				b.SetBytes(int64(len(p.data)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.dec(p.data); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, p := range payloads() {
		for _, c := range p.cases {
			b.Run(p.name+"/"+c.name, func(b *testing.B) {
				v, err := c.dec(p.data)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(p.data)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.enc(v); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkFloor touches the same bytes without building anything.
func BenchmarkFloor(b *testing.B) {
	for _, p := range payloads() {
		floors := []struct {
			name string
			f    func() error
		}{
			{"json.Valid", func() error {
				if !json.Valid(p.data) {
					return errors.New("invalid")
				}
				return nil
			}},
			{"segmentio.Valid", func() error {
				if !segjson.Valid(p.data) {
					return errors.New("invalid")
				}
				return nil
			}},
			{"v2exp.jsontext.IsValid", func() error {
				if !jsontext.Value(p.data).IsValid() {
					return errors.New("invalid")
				}
				return nil
			}},
			{"v2exp.jsontext.tokens", func() error {
				d := jsontext.NewDecoder(bytes.NewBuffer(p.data))
				for {
					if _, err := d.ReadToken(); err == io.EOF {
						return nil
					} else if err != nil {
						return err
					}
				}
			}},
			{"jx.Skip", func() error {
				d := jx.GetDecoder()
				d.ResetBytes(p.data)
				err := d.Skip()
				jx.PutDecoder(d)
				return err
			}},
			{"gosdk.depth", func() error {
				if tooDeep(p.data) {
					return errDepth
				}
				return nil
			}},
			{"copy", func() error { _ = append([]byte(nil), p.data...); return nil }},
		}
		for _, f := range floors {
			b.Run(p.name+"/"+f.name, func(b *testing.B) {
				b.SetBytes(int64(len(p.data)))
				b.ReportAllocs()
				for b.Loop() {
					if err := f.f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkEnvelope decodes one whole tools/call line down to its arguments.
func BenchmarkEnvelope(b *testing.B) {
	line := harness.EchoRequest(harness.Legacy, 64).Body
	type args struct {
		Message string `json:"message"`
	}
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("gosdk_stdio-decode-only", func() error {
		// ioConn's read loop, readBatch, DecodeMessage, unmarshalParams, args;
		// without schema validation.
		var raw json.RawMessage
		if err := json.NewDecoder(bytes.NewReader(line)).Decode(&raw); err != nil {
			return err
		}
		var batch []json.RawMessage
		_ = sdkUnmarshal(raw, &batch) // fails: not a batch
		m, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			return err
		}
		var p gosdk.CallToolParamsRaw
		if err := sdkUnmarshal(m.(*jsonrpc.Request).Params, &p); err != nil {
			return err
		}
		var a args
		return sdkUnmarshal(p.Arguments, &a)
	})
	s := mcpgoserver.NewMCPServer("x", "1", mcpgoserver.WithLogger(slog.New(slog.DiscardHandler)))
	s.AddTool(mcpgo.NewTool("echo", mcpgo.WithString("message", mcpgo.Required())),
		mcpgo.NewTypedToolHandler(func(_ context.Context, _ mcpgo.CallToolRequest, in args) (*mcpgo.CallToolResult, error) {
			return mcpgo.NewToolResultStructured(in, in.Message), nil
		}))
	run("mcpgo_HandleMessage+marshal", func() error {
		_, err := json.Marshal(s.HandleMessage(context.Background(), line))
		return err
	})
	run("std_two-structs", func() error {
		var m struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Method  string          `json:"method"`
			Params  struct {
				Name      string `json:"name"`
				Arguments args   `json:"arguments"`
			} `json:"params"`
		}
		return json.Unmarshal(line, &m)
	})
	run("v2exp_two-structs", func() error {
		var m struct {
			JSONRPC string         `json:"jsonrpc"`
			ID      jsontext.Value `json:"id"`
			Method  string         `json:"method"`
			Params  struct {
				Name      string `json:"name"`
				Arguments args   `json:"arguments"`
			} `json:"params"`
		}
		return v2.Unmarshal(line, &m)
	})
	run("jx_handwritten", func() error {
		var name, msg, method string
		var id jx.Raw
		d := jx.GetDecoder()
		d.ResetBytes(line)
		err := d.ObjBytes(func(d *jx.Decoder, k []byte) (err error) {
			switch string(k) {
			case "id":
				id, err = d.Raw()
			case "method":
				method, err = d.Str()
			case "params":
				err = d.ObjBytes(func(d *jx.Decoder, k []byte) (err error) {
					switch string(k) {
					case "name":
						name, err = d.Str()
					case "arguments":
						err = d.ObjBytes(func(d *jx.Decoder, k []byte) (err error) {
							if string(k) == "message" {
								msg, err = d.Str()
								return err
							}
							return d.Skip()
						})
					default:
						err = d.Skip()
					}
					return err
				})
			default:
				err = d.Skip()
			}
			return err
		})
		jx.PutDecoder(d)
		if err == nil && (name != "echo" || method == "" || msg == "" || len(id) == 0) {
			err = errors.New("bad decode")
		}
		return err
	})
	run("scan_handwritten", func() error { return scanEnvelope(line) })
	run("mcpgen", func() error { return parseEnvelope(line) })
}
