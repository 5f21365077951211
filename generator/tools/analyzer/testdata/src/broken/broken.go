package broken

import "github.com/mcpgen/mcpgen/runtime/server"

func external(c *server.Call)

func ask(c *server.Call) {
	c.Elicit()
}
