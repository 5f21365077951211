package annotated

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestKept makes sure that a function may keep its arguments: they are parts of the message that
// brought them, which nobody may use again for another one.
func TestKept(t *testing.T) {
	near, far := inmem.Pair(0)
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	for name, pair := range map[string][2]transport.Transport{
		"in memory": {near, far},
		"stdio":     {stdio.New(fromServer, toServer, nil), stdio.New(fromClient, toClient, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			served := make(chan error, 1)
			go func() { served <- newServer(t).Serve(t.Context(), pair[1]) }()
			c, err := client.Connect(t.Context(), pair[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			before := `{"before":"","moreBefore":{}}`
			for i := range 200 {
				text := strings.Repeat(fmt.Sprint(i%10), 1+i*i%1000)
				r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "remember", Arguments: wire.Raw(`{"text":"` + text + `","more":{"` + text + `":["` + text + `"]}}`)})
				if err != nil {
					t.Fatal(err)
				}
				if got := string(r.StructuredContent); got != before {
					t.Fatalf("call %d: got %.100s, want %.100s", i, got, before)
				}
				before = `{"before":"` + text + `","moreBefore":{"` + text + `":["` + text + `"]}}`
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}
