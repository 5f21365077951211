package golden_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The benchmarks measure the generated codecs beside encoding/json on structs of the same shape
// that have no methods, in the same run: the ratios mean more than the times.

func sentence(n int) string {
	const s = "The quick brown fox jumps over the lazy dog. "
	return strings.Repeat(s, n/len(s)+1)[:n]
}

// callText is the params of a call of a tool, in the revision that repeats who the client is.
const callText = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}},` +
	`"name":"echo","arguments":{"message":"The quick brown fox jumps over the lazy dog. The quick brown fo"}}`

// resultText is the result of a call, about 4 KB, with three content blocks.
func resultText() []byte {
	text, _ := json.Marshal(strings.Repeat("Line of \"quoted\" output, with naïve text.\n", 24))
	image := base64.StdEncoding.EncodeToString([]byte(sentence(1536)))
	return []byte(`{"content":[{"type":"text","text":` + string(text) + `},` +
		`{"type":"image","data":"` + image + `","mimeType":"image/png"},` +
		`{"type":"resource","resource":{"uri":"file:///srv/data/report.txt","mimeType":"text/plain","text":"` + sentence(500) + `"}}],` +
		`"structuredContent":{"rows":[{"id":1,"name":"first","score":1.5},{"id":2,"name":"second","score":2.5},` +
		`{"id":3,"name":"third","score":3.5}],"total":3,"query":"` + sentence(200) + `"}}`)
}

// listText is a list of 200 tools of about 770 bytes each.
func listText() []byte {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"records_search_%03d","title":"Search records %d",`+
			`"description":"Search the records of collection %d and return the matching rows, newest first.",`+
			`"inputSchema":{"type":"object","properties":{`+
			`"query":{"type":"string","description":"Full text query over collection %d","minLength":1,"maxLength":512},`+
			`"limit":{"type":"integer","description":"Maximum number of rows to return","minimum":1,"maximum":500,"default":50},`+
			`"order":{"type":"string","enum":["asc","desc"],"description":"Sort order by update time"},`+
			`"tags":{"type":"array","items":{"type":"string"},"description":"Only rows that carry all of these tags"},`+
			`"since":{"type":"string","format":"date-time","description":"Only rows updated after this instant"}`+
			`},"required":["query"],"additionalProperties":false}}`, i, i, i, i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// The same shapes without methods.
type (
	plainCall struct {
		Meta struct {
			ProtocolVersion string `json:"io.modelcontextprotocol/protocolVersion"`
			ClientInfo      *struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"io.modelcontextprotocol/clientInfo,omitempty"`
			ClientCapabilities struct{} `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
	}
	plainResource struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType,omitempty"`
		Text     string `json:"text,omitempty"`
		Blob     string `json:"blob,omitempty"`
	}
	plainContent struct {
		Type     string         `json:"type"`
		Text     string         `json:"text,omitempty"`
		Data     string         `json:"data,omitempty"`
		MIMEType string         `json:"mimeType,omitempty"`
		Resource *plainResource `json:"resource,omitempty"`
	}
	plainResult struct {
		Meta              json.RawMessage `json:"_meta,omitempty"`
		Content           []plainContent  `json:"content"`
		StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
		IsError           *bool           `json:"isError,omitempty"`
	}
	plainTool struct {
		Meta         json.RawMessage `json:"_meta,omitempty"`
		Name         string          `json:"name"`
		Title        string          `json:"title,omitempty"`
		Description  string          `json:"description,omitempty"`
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	}
	plainList struct {
		Meta       json.RawMessage `json:"_meta,omitempty"`
		Tools      []plainTool     `json:"tools"`
		NextCursor *string         `json:"nextCursor,omitempty"`
	}
)

func BenchmarkCall(b *testing.B) {
	benchmark[mcp.CallToolRequestParams, plainCall](b, []byte(callText))
}

func BenchmarkResult(b *testing.B) {
	benchmark[mcp.CallToolResult, plainResult](b, resultText())
}

func BenchmarkList(b *testing.B) {
	benchmark[mcp.ListToolsResult, plainList](b, listText())
}

func benchmark[T, Plain any, P interface {
	*T
	wire.Value
}](b *testing.B, data []byte) {
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("decode/json", func() error { return json.Unmarshal(data, new(Plain)) })
	run("decode/copy", func() error { return wire.Decode(data, P(new(T))) })
	run("decode/alias", func() error { return wire.DecodeAlias(data, P(new(T))) })

	var v T
	var plain Plain
	if err := wire.Decode(data, P(&v)); err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(data, &plain); err != nil {
		b.Fatal(err)
	}
	run("encode/json", func() error { _, err := json.Marshal(&plain); return err })
	var buf []byte
	run("encode/append", func() (err error) { buf, err = wire.Append(buf[:0], mcp.V2026_07_28, P(&v)); return err })
}
