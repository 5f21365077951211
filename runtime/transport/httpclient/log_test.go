package httpclient_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server controls neither the terminal that shows a client's logs nor what the logs say.
func TestHostileServerLogs(t *testing.T) {
	const bad = "x\x1b]0;PWNED\a\u009b2J\u202e\u2066\x7f\r\ufeff"
	raw, err := json.Marshal(bad)
	if err != nil {
		t.Fatal(err)
	}
	quoted := string(raw[1 : len(raw)-1])
	wrong := []string{
		event(quoted), event(`{"jsonrpc":"2.0","id":"` + quoted + `"}`), event(`{"jsonrpc":"2.0","id":"` + quoted + `","result":{}}`),
		event(`{"jsonrpc":"2.0","id":"` + quoted + `","method":"` + quoted + `"}`), event(`{"jsonrpc":"2.0","method":"notifications/` + quoted + `"}`),
		event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"` + quoted + `","progress":1,"message":"` + quoted + `"}}`),
		event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + quoted + `","data":"` + quoted + `"}}`),
		event(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":["` + quoted + `"]}}`),
	}
	tools := `{"tools":[{"name":"` + quoted + `","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"` + quoted + `"}}}}],"ttlMs":0,"cacheScope":"private","resultType":"complete"}`
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		s := &site{}
		s.does("server/discover", func(v *visit) { v.answer(discovered) })
		s.does("tools/list", func(v *visit) { v.stream(append(wrong, event(answerTo(v.msg.ID, tools)))...) })
		s.does("tools/call", func(v *visit) {
			v.stream(append(wrong, event(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"%s"}}`, v.msg.ID, quoted)))...)
		})
		s.does("DELETE", func(v *visit) { http.Error(v, bad, http.StatusBadGateway) })
		srv := httptest.NewServer(s)
		t.Cleanup(srv.Close)
		log, observed := testenv.HarmlessLog(t), testenv.HarmlessLog(t)
		c, err := client.Connect(t.Context(), httpclient.New(srv.URL, &httpclient.Options{Logger: log}),
			&client.Options{Logger: log, Observer: observe.Logger(observed), Revisions: []wire.Revision{rev}})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Error(err)
			}
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: bad}); err == nil {
			t.Error("a call succeeded")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
