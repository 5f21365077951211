package mcpheader_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ XHDR-03: which characters an annotation may have.
func TestTokens(t *testing.T) {
	for c := range rune(0x100) {
		name, err := json.Marshal("x" + string(c))
		if err != nil {
			t.Fatal(err)
		}
		ok := c < 0x80 && (strings.ContainsRune("!#$%&'*+-.^_`|~", c) || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
		_, err = mcpheader.Params(wire.Raw(`{"properties":{"p":{"type":"string","x-mcp-header":` + string(name) + `}}}`))
		if (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// REQ HDR-06, HDR-11: which bytes a header may have as they are.
func TestPlainBytes(t *testing.T) {
	for c := range 0x100 {
		header := "a" + string([]byte{byte(c)}) + "b"
		_, err := mcpheader.Decode(header)
		if ok := c == '\t' || ' ' <= c && c <= '~'; (err == nil) != ok {
			t.Errorf("%q: %v", header, err)
		}
	}
}

// REQ HDR-09, HDR-10: what is sent is plain and no sentinel, or coded, and comes back as it was.
func TestEncodeEveryByte(t *testing.T) {
	for c := range 0x80 {
		for _, value := range []string{string(rune(c)), "a" + string(rune(c)), string(rune(c)) + "a", "a" + string(rune(c)) + "b"} {
			header := mcpheader.Encode(value)
			plain := ' ' <= c && c <= '~' && value[0] != ' ' && value[len(value)-1] != ' '
			if (header == value) != plain {
				t.Errorf("%q becomes %q", value, header)
			}
			if back, err := mcpheader.Decode(header); err != nil || back != value {
				t.Errorf("%q comes back as %q, %v", value, back, err)
			}
		}
	}
	for value, coded := range map[string]bool{"=?base64??=": true, "=?base64?=": false, "=?base64?x": false, "x?=": false, "=?base64?x?=": true, "=?BASE64?x?=": false} {
		header := mcpheader.Encode(value)
		if (header != value) != coded {
			t.Errorf("%q becomes %q", value, header)
		}
		if back, err := mcpheader.Decode(header); err != nil || back != value {
			t.Errorf("%q comes back as %q, %v", value, back, err)
		}
	}
}
