package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// SimplePrompt is a prompt without arguments.
//
//mcp:prompt
//mcp:icon https://example.com/prompt.png
func SimplePrompt() string { return "This is a simple prompt without arguments." }

// ComplexPrompt is a prompt with arguments.
//
//   - temperature: how much is left to chance
//   - style: the style of the response
//
//mcp:prompt
func ComplexPrompt(temperature, style string) []mcp.PromptMessage {
	return []mcp.PromptMessage{
		{Role: mcp.RoleUser, Content: server.Text(fmt.Sprintf("This is a complex prompt with arguments: temperature=%s, style=%s", temperature, style))},
		{Role: mcp.RoleAssistant, Content: server.Text(
			"I understand. You've provided a complex prompt with temperature and style arguments. How would you like me to proceed?")},
		{Role: mcp.RoleUser, Content: server.Image("image/png", tinyImage())},
	}
}

// styles returns those that begin with a text.
//
//mcp:complete ComplexPrompt style
func styles(prefix string) []string {
	var begin []string
	for _, style := range []string{"formal", "casual", "technical", "creative"} {
		if strings.HasPrefix(style, prefix) {
			begin = append(begin, style)
		}
	}
	return begin
}

// ids returns an id with each digit behind it.
//
//mcp:complete Dynamic id
func ids(prefix string) []string {
	id, err := strconv.Atoi("0" + prefix)
	if err != nil || id >= 10_000 {
		return nil
	}
	var longer []string
	for digit := range 10 {
		longer = append(longer, strconv.Itoa(10*id+digit))
	}
	return longer
}
