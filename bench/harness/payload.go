package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// ToolSpec is a neutral description of a listed tool.
type ToolSpec struct {
	Name, Title, Description string
	InputSchema              json.RawMessage
}

// ToolSpecs makes n tools with a realistic input schema of about 600 bytes.
func ToolSpecs(n int) []ToolSpec {
	specs := make([]ToolSpec, n)
	for i := range specs {
		specs[i] = ToolSpec{
			Name:        fmt.Sprintf("records_search_%03d", i),
			Title:       fmt.Sprintf("Search records %d", i),
			Description: fmt.Sprintf("Search the records of collection %d and return the matching rows, newest first.", i),
			InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{`+
				`"query":{"type":"string","description":"Full text query over collection %d","minLength":1,"maxLength":512},`+
				`"limit":{"type":"integer","description":"Maximum number of rows to return","minimum":1,"maximum":500,"default":50},`+
				`"order":{"type":"string","enum":["asc","desc"],"description":"Sort order by update time"},`+
				`"tags":{"type":"array","items":{"type":"string"},"description":"Only rows that carry all of these tags"},`+
				`"since":{"type":"string","format":"date-time","description":"Only rows updated after this instant"}`+
				`},"required":["query"],"additionalProperties":false}`, i)),
		}
	}
	return specs
}

// Message is the echoed text for a given length; plain ASCII, as in most calls.
func Message(n int) string {
	const s = "The quick brown fox jumps over the lazy dog. "
	return strings.Repeat(s, n/len(s)+1)[:n]
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + Modern + `",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1.0.0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

const idWidth = 10 // digits of the fixed-width request id

// RawRequest is a prebuilt JSON-RPC request whose fixed-width numeric id can
// be patched in place.
type RawRequest struct {
	Method, ToolName string
	Body             []byte   // no trailing newline
	Want             []string // what the answer holds
	idAt             int
}

// check returns an error if an answer is not what the request asks for.
func (r *RawRequest) check(answer []byte) error {
	for _, s := range append([]string{`"result":`}, r.Want...) {
		if !bytes.Contains(answer, []byte(s)) {
			return fmt.Errorf("the first answer lacks %.100s: %.300s", s, answer)
		}
	}
	if bytes.Contains(answer, []byte(`"isError":true`)) {
		return fmt.Errorf("the first answer is an error: %.300s", answer)
	}
	return nil
}

// SetID patches the id of a copy of the request held in b.
func (r *RawRequest) SetID(b []byte, id uint64) {
	strconv.AppendUint(b[r.idAt:r.idAt], 1_000_000_000+id%8_000_000_000, 10)
}

func newRaw(method, tool, params string, want ...string) *RawRequest {
	const head = `{"jsonrpc":"2.0","id":`
	return &RawRequest{
		Method: method, ToolName: tool, Want: want, idAt: len(head),
		Body: []byte(head + "1000000000" + `,"method":"` + method + `","params":{` + params + `}}`),
	}
}

// EchoRequest is a tools/call of echo with a message of n bytes.
func EchoRequest(proto string, n int) *RawRequest {
	p := ""
	if proto == Modern {
		p = modernMeta + ","
	}
	m := `"` + Message(n) + `"`
	return newRaw("tools/call", "echo", p+`"name":"echo","arguments":{"message":`+m+`}`,
		`"content":[{`, `"text":`+m, `"structuredContent":{"message":`+m+`}`)
}

// ListRequest is a tools/list.
func ListRequest(proto string) *RawRequest {
	p := ""
	if proto == Modern {
		p = modernMeta
	}
	return newRaw("tools/list", "", p, `"name":"`+ToolSpecs(1)[0].Name+`"`, `"inputSchema":`)
}

// InitializeLine and InitializedLine are the legacy handshake.
const (
	InitializeLine  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + Legacy + `","capabilities":{},"clientInfo":{"name":"raw","version":"1.0.0"}}}`
	InitializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)
