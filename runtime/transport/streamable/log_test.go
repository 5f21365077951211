package streamable_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/observe/observeserver"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// A client controls neither the terminal that shows a server's logs nor what the logs say.
func TestHostileClientLogs(t *testing.T) {
	const bad = "x\x1b]0;PWNED\a\u009b2J\u202e\u2066\x7f\r\ufeff"
	quoted := strings.NewReplacer("\x1b", `\u001b`, "\a", `\u0007`, "\r", `\r`).Replace(bad)
	inHeader := strings.NewReplacer("\x1b", "", "\a", "", "\r", "", "\x7f", "").Replace(bad)
	log, observed := testenv.HarmlessLog(t), testenv.HarmlessLog(t)
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, observeserver.Options(observe.Logger(observed), &server.Options{Logger: log}))
	tool(t, s, "echo", echo)
	h := serve(t, s, &streamable.Options{Logger: log})
	send := func(method, body string, headers ...string) {
		req := h.request(method, body, headers...)
		req.URL.RawQuery = url.QueryEscape(bad)
		h.do(req).Body.Close()
		req = h.request(method, body, headers...)
		req.URL.Path = "/mcp" + bad
		h.do(req).Body.Close()
	}
	for _, rev := range []string{"2025-11-25", "2026-07-28"} {
		meta := ""
		if h.session, h.version = "", ""; rev == "2025-11-25" {
			h.open(rev)
		} else {
			h.version = rev
			meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + rev + `","io.modelcontextprotocol/clientInfo":{"name":"` + quoted + `","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},`
		}
		send("GET", "")
		send("PUT", "")
		send("POST", quoted)
		send("POST", `{"jsonrpc":"2.0","id":"`+quoted+`","method":"`+quoted+`","params":{}}`, "Mcp-Method: "+inHeader)
		send("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+meta+`"name":"`+quoted+`","arguments":{"`+quoted+`":1}}}`, "Mcp-Method: tools/call", "Mcp-Name: "+inHeader)
		send("POST", `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{`+meta+`"uri":"`+quoted+`"}}`, "Mcp-Method: resources/read", "Mcp-Name: "+inHeader)
		send("POST", `{"jsonrpc":"2.0","method":"notifications/`+quoted+`","params":{}}`)
		send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"`+quoted+`","reason":"`+quoted+`"}}`)
		send("POST", `{"jsonrpc":"2.0","id":"`+quoted+`","result":{}}`)
		send("POST", `{}`, "Origin: http://"+inHeader)
		send("POST", `{}`, "Content-Type:", "Content-Type: "+inHeader)
		send("POST", `{}`, "Mcp-Session-Id:", "Mcp-Session-Id: "+inHeader)
		send("POST", `{}`, "Mcp-Protocol-Version:", "Mcp-Protocol-Version: "+inHeader)
	}
}
