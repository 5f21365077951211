package wire_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func sentence(n int) string {
	const s = "The quick brown fox jumps over the lazy dog. "
	return strings.Repeat(s, n/len(s)+1)[:n]
}

// resultText is a result of tools/call of about 4 KB, with three content blocks.
func resultText() []byte {
	text, _ := json.Marshal(strings.Repeat("Line of \"quoted\" output, with naïve text.\n", 24))
	image := base64.StdEncoding.EncodeToString([]byte(sentence(1536)))
	return []byte(`{"content":[{"type":"text","text":` + string(text) + `},` +
		`{"type":"image","data":"` + image + `","mimeType":"image/png"},` +
		`{"type":"resource","resource":{"uri":"file:///srv/data/report.txt","mimeType":"text/plain","text":"` + sentence(500) + `"}}],` +
		`"structuredContent":{"rows":[{"id":1,"name":"first","score":1.5},{"id":2,"name":"second","score":2.5},` +
		`{"id":3,"name":"third","score":3.5}],"total":3,"query":"` + sentence(200) + `"}}`)
}

// listText is a result of tools/list with n tools of about 770 bytes each.
func listText(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range n {
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

// BenchmarkCheck is what skipping a value costs, which checks it. The golden package measures the
// generated codecs.
func BenchmarkCheck(b *testing.B) {
	for name, data := range map[string][]byte{"result": resultText(), "list": listText(200)} {
		b.Run(name+"/json", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if !json.Valid(data) {
					b.Fatal("not valid")
				}
			}
		})
		b.Run(name+"/wire", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := wire.Raw(data).Check(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
