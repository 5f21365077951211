package client

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ SAMP-05 SAMP-06 SAMP-12 SAMP-13
func TestCheckMessages(t *testing.T) {
	t.Parallel()
	const (
		text     = `{"type":"text","text":"x"}`
		use1     = `{"type":"tool_use","id":"1","name":"t","input":{}}`
		use2     = `{"type":"tool_use","id":"2","name":"t","input":{}}`
		result1  = `{"type":"tool_result","toolUseId":"1","content":[]}`
		result2  = `{"type":"tool_result","toolUseId":"2","content":[]}`
		user     = `{"role":"user","content":[`
		model    = `{"role":"assistant","content":[`
		end      = `]}`
		unsolved = `messages[1]: the result of tool use "2" must be in the next message (-32602)`
	)
	for name, test := range map[string]struct{ messages, want string }{
		"none":                    {``, ``},
		"one block":               {`{"role":"user","content":` + text + `}`, ``},
		"talk":                    {user + text + end + `,` + model + text + `,` + text + end, ``},
		"call and answer":         {user + text + end + `,` + model + text + `,` + use1 + `,` + use2 + end + `,` + user + result2 + `,` + result1 + end, ``},
		"mixed":                   {user + text + end + `,` + model + use1 + end + `,` + user + result1 + `,` + text + end, `messages[2]: must have either tool results or other content, got both (-32602)`},
		"one is missing":          {user + text + end + `,` + model + use1 + `,` + use2 + end + `,` + user + result1 + end, unsolved},
		"too late":                {user + text + end + `,` + model + use2 + end + `,` + user + text + end + `,` + user + result2 + end, unsolved},
		"never":                   {user + text + end + `,` + model + use2 + end, unsolved},
		"both, by the wrong side": {model + result1 + `,` + text + end, ``},
		"by the wrong side":       {user + text + end + `,` + model + use2 + end + `,` + model + result2 + end, unsolved},
	} {
		p := new(mcp.CreateMessageRequestParams)
		if err := wire.Decode([]byte(`{"maxTokens":1,"messages":[`+test.messages+`]}`), p); err != nil {
			t.Fatal(name, err)
		}
		if got := errorText(checkMessages(p.Messages)); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
