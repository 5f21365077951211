// Package codec holds microbenchmarks of JSON codecs on MCP payloads.
package codec

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/bench/harness"
)

// Params is a tools/call params object with about 1 KB of arguments.
func Params() []byte {
	rows := make([]string, 6)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":%d,"name":"row number %d","active":%t,"score":%d.5,"tags":["alpha","beta-%d"]}`, 1000+i, i, i%2 == 0, i*7, i)
	}
	return []byte(`{"_meta":{"progressToken":42},"name":"records_update","arguments":{` +
		`"collection":"customers/eu-west","dryRun":false,"comment":"` + harness.Message(300) + `",` +
		`"filter":{"status":["open","pending"],"since":"2026-01-02T03:04:05Z","limit":250},` +
		`"rows":[` + strings.Join(rows, ",") + `]}}`)
}

// Result is a tools/call result with three content items.
func Result() []byte {
	text, _ := json.Marshal(strings.Repeat("Line of \"quoted\" output, with naïve text.\n", 24))
	img := base64.StdEncoding.EncodeToString([]byte(harness.Message(1536)))
	res, _ := json.Marshal(harness.Message(500))
	return []byte(`{"content":[{"type":"text","text":` + string(text) + `},` +
		`{"type":"image","data":"` + img + `","mimeType":"image/png"},` +
		`{"type":"resource","resource":{"uri":"file:///srv/data/report.txt","mimeType":"text/plain","text":` + string(res) + `}}],` +
		`"structuredContent":{"rows":[{"id":1,"name":"first","score":1.5},{"id":2,"name":"second","score":2.5},{"id":3,"name":"third","score":3.5}],"total":3,"query":"` + harness.Message(200) + `"}}`)
}

// Tools is a tools/list result with 200 tools.
func Tools() []byte {
	type tool struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	var r struct {
		Tools []tool `json:"tools"`
	}
	for _, t := range harness.ToolSpecs(200) {
		r.Tools = append(r.Tools, tool(t))
	}
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return b
}

// Plain types: what a generator without custom (un)marshal methods would
// emit. R is the raw JSON type of the codec in use.
type callParams[R any] struct {
	Meta      R      `json:"_meta,omitempty"`
	Name      string `json:"name"`
	Arguments R      `json:"arguments,omitempty"`
}

type resource struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType,omitempty"`
	Text     string `json:"text,omitempty"`
	Blob     string `json:"blob,omitempty"`
}

type content struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"`
	MIMEType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

type callResult[R any] struct {
	Meta              R         `json:"_meta,omitempty"`
	Content           []content `json:"content"`
	StructuredContent R         `json:"structuredContent,omitempty"`
	IsError           bool      `json:"isError,omitempty"`
}

type toolDef[R any] struct {
	Meta         R      `json:"_meta,omitempty"`
	Name         string `json:"name"`
	Title        string `json:"title,omitempty"`
	Description  string `json:"description,omitempty"`
	InputSchema  R      `json:"inputSchema"`
	OutputSchema R      `json:"outputSchema,omitempty"`
}

type listResult[R any] struct {
	Meta       R            `json:"_meta,omitempty"`
	Tools      []toolDef[R] `json:"tools"`
	NextCursor string       `json:"nextCursor,omitempty"`
}
