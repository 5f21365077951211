package main

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"net/url"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// Greet says hi.
//
//   - name: the name to say hi to
//
//mcp:tool readonly closedworld
func Greet(name string) string { return "Hi " + name }

// GreetStructured says hi in a member of its own.
//
//   - name: the name to say hi to
//
//mcp:tool readonly closedworld
func GreetStructured(name string) (message string) { return Greet(name) }

// GreetWithIcons says hi, and has an icon.
//
//   - name: the name to say hi to
//
//mcp:tool readonly closedworld
//mcp:icon icon.png sizes=48x48 theme=light
func GreetWithIcons(name string) (message string) { return Greet(name) }

// GreetLink says hi by a link.
//
//   - name: the name to say hi to
//
//mcp:tool readonly closedworld
func GreetLink(name string) []mcp.ContentBlock {
	link := server.Link("data:text/plain,Hi%20"+url.PathEscape(name), "greeting")
	link.Title, link.MIMEType = "A friendly greeting", "text/plain"
	link.Icons = []mcp.Icon{{
		Src: "data:image/png;base64," + base64.StdEncoding.EncodeToString(icon), MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "light",
	}}
	return []mcp.ContentBlock{link}
}

//go:embed icon.png
var icon []byte

// SayHi is a greeting to send.
//
//mcp:prompt name=greet
//mcp:param name optional
func SayHi(name string) string { return "Say hi to " + name }

// SayHiWithIcons is a greeting with an icon.
//
//mcp:prompt "name=greet (with Icons)"
//mcp:param name optional
//mcp:icon icon.png sizes=48x48 theme=light
func SayHiWithIcons(name string) string { return SayHi(name) }

// Info tells what this server is.
//
//mcp:resource embedded:info "name=info (with Icons)" mime=text/plain
//mcp:icon icon.png sizes=48x48 theme=light
func Info() string { return "This is the hello example server." }

// Page is not there.
//
//mcp:resource http://example.com/~{resource_name}/ "name=Resource template (with Icon)" mime=text/plain
//mcp:icon icon.png sizes=48x48 theme=light
func Page(resource_name string) (string, error) { return "", fmt.Errorf("wrong scheme: %q", "http") }

// More suggests an argument.
//
//mcp:complete SayHi name
//mcp:complete SayHiWithIcons name
//mcp:complete Page resource_name
func More(text string) []string { return []string{text + "x"} }
