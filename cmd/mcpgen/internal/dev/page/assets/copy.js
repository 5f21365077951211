// A call, written for use elsewhere.

import {resolve, types} from "./form.js";
import {parse, pretty} from "./json.js";

// asJSON returns the params of the request.
export function asJSON(tool, text) {
  return pretty(`{"name":${JSON.stringify(tool.name)},"arguments":${text}}`);
}

// shell quotes a word for a shell.
function shell(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

// asCommand returns the call for a terminal.
export function asCommand(tool, text, endpoint) {
  const root = tool.inputSchema ?? {}, properties = resolve(root, root).properties ?? {};
  const members = Object.entries(parse(text));
  let words = members.map(([name, value]) => {
    const [type, ...others] = types(resolve(properties[name] ?? {}, root));
    if (!/^[\w-]+$/.test(name)) return undefined;
    if (typeof value === "string" && type === "string" && others.length === 0) return `${name}=${value}`;
    return `${name}:=${JSON.stringify(value)}`;
  });
  if (words.includes(undefined)) words = [text];
  return ["mcpgen", "call", tool.name, ...words, "-url", endpoint].map(shell).join(" ");
}

// asGo returns a program that makes the call.
export function asGo(tool, text, endpoint) {
  const quoted = text.includes("`") ? JSON.stringify(text) : "`" + text + "`";
  return `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	ctx := context.Background()
	c, err := client.Connect(ctx, httpclient.New(${JSON.stringify(endpoint)}, nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	result, err := c.CallTool(ctx, &mcp.CallToolRequestParams{
		Name:      ${JSON.stringify(tool.name)},
		Arguments: wire.Raw(${quoted}),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Text(result.Content))
}
`;
}

// snippets returns how to connect clients to the endpoint: [client, file or place, text].
export function snippets(name, endpoint) {
  const config = (key, server) => JSON.stringify({[key]: {[name]: server}}, null, 2);
  return [
    ["Claude Code", "in a terminal", `claude mcp add --transport http ${shell(name)} ${endpoint}`],
    ["Claude", ".mcp.json", config("mcpServers", {type: "http", url: endpoint})],
    ["VS Code", ".vscode/mcp.json", config("servers", {type: "http", url: endpoint})],
    ["Gemini CLI", ".gemini/settings.json", config("mcpServers", {httpUrl: endpoint})],
    ["Cursor", ".cursor/mcp.json", config("mcpServers", {url: endpoint})],
    ["mcpgen", "in a terminal", `mcpgen inspect -url ${endpoint}`],
  ];
}
