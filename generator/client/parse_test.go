package client_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/client"
)

// TestParseForms reads lists in each form in which they may be had, and says what is wrong with others.
func TestParseForms(t *testing.T) {
	const tools = `[{"name":"t","inputSchema":{"type":"object"}}]`
	for _, text := range []string{
		tools, " \n" + tools, `{"tools":` + tools + `}`, `{"jsonrpc":"2.0","id":1,"result":{"tools":` + tools + `}}`, `{"tools":` + tools + `,"error":{"code":1,"message":"not of JSON-RPC"}}`,
	} {
		lock, err := client.Parse("list.json", []byte(text))
		if err != nil || len(lock.Contract.Tools) != 1 || lock.Contract.Tools[0].Name != "t" {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"x": "list.json: want JSON: ",
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}`: "list.json: it is an error response: ",
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                        "list.json: want the result of tools/list",
		`{"tools":` + tools + `,"nextCursor":"x"}`:                                    "list.json: it is one page of a list",
		`{"tools":1}`: "list.json: ",
		`{}`:          "list.json: want the result of tools/list",
	} {
		if _, err := client.Parse("list.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
