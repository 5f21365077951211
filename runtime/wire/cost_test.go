package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var size = limits.Flags()

// TestCost is the table of what hostile messages cost the decoders of the protocol's types.
func TestCost(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 50) + strings.Repeat(`]}`, 50)
	repeated := func(open, end, item string) func(int) string {
		return func(n int) string { return limits.List(n, open, end, func(int) string { return item }) }
	}
	numbered := func(open, end, item string) func(int) string {
		return func(n int) string {
			return limits.List(n, open, end, func(i int) string { return fmt.Sprintf(item, i) })
		}
	}
	long := func(open, item, end string) func(int) string {
		return func(n int) string { return open + strings.Repeat(item, n/len(item)) + end }
	}
	var cases []limits.Case
	for _, c := range []struct {
		name  string
		into  func() wire.Decodable
		input func(int) string
	}{
		{"contents whose type comes last", callResult, repeated(`{"content":[`, `]}`, `{"text":"x","annotations":{"priority":0.5},"type":"text"}`)},
		{"contents of no type", callResult, repeated(`{"content":[`, `]}`, `{"type":"none"}`)},
		{"contents with types of many escapes", callResult, repeated(`{"content":[`, `]}`, `{"type":"\u0074\u0065\u0078\u0074","text":""}`)},
		{"a content with many members before its type", callResult, numbered(`{"content":[{`, `,"type":"text","text":""}]}`, `"a%d":1`)},
		{"many unknown members", callResult, numbered(`{"content":[],`, `}`, `"a%d":1`)},
		{"one unknown member again and again", callResult, repeated(`{"content":[],`, `}`, `"a":1`)},
		{"unknown members with long names", callResult, numbered(`{"content":[],`, `}`, `"`+strings.Repeat("x", 200)+`%d":1`)},
		{"structured content that is deep", callResult, repeated(`{"content":[],"structuredContent":{"x":[`, `]}}`, deep)},
		{"tools that lack all", listTools, repeated(`{"tools":[`, `]}`, `{}`)},
		{"tools", listTools, numbered(`{"tools":[`, `]}`, `{"name":"%d","inputSchema":{"type":"object"}}`)},
		{"meta of many members", callResult, numbered(`{"content":[],"_meta":{`, `}}`, `"a%d":1`)},
		{"meta of the same member", callResult, repeated(`{"content":[],"_meta":{`, `}}`, `"a":1`)},
		{"a string of escapes", callResult, long(`{"content":[{"type":"text","text":"`, `\u00e9`, `"}]}`)},
		{"a string of halves of pairs", callResult, long(`{"content":[{"type":"text","text":"`, `\ud800`, `"}]}`)},
		{"a long path", callResult, long(`{"content":[{"type":"text","text":1,"`, `x`, `":1}]}`)},
		{"integers with exponents", messages, repeated(`{"messages":[],"maxTokens":1,"x":[`, `]}`, `1e400`)},
		{"an integer of many zeros", messages, long(`{"messages":[],"maxTokens":1.`, `0`, `}`)},
		{"an integer of many digits", messages, long(`{"messages":[],"maxTokens":`, `9`, `}`)},
		{"a number of many digits", messages, long(`{"messages":[],"maxTokens":1,"temperature":1.`, `9`, `}`)},
		{"contents of messages, one or many", messages, repeated(`{"maxTokens":1,"messages":[`, `]}`, `{"role":"user","content":{"text":"","type":"text"}}`)},
		{"tool results in messages", messages, repeated(`{"maxTokens":1,"messages":[`, `]}`, `{"role":"user","content":[{"toolUseId":"a","content":[{"text":"","type":"text"}],"type":"tool_result"}]}`)},
		{"forms", elicit, numbered(`{"message":"","requestedSchema":{"properties":{`, `},"type":"object"},"mode":"form"}`, `"a%d":{"enum":["a"],"type":"string"}`)},
		{"white space", callResult, long(`{"content":[`, ` `, `]}`)},
	} {
		cases = append(cases, limits.Case{Name: "wire: " + c.name, Input: c.input, Run: func(in string) string {
			if err := wire.DecodeAlias([]byte(in), c.into()); err != nil {
				return err.Error()
			}
			return ""
		}})
	}
	limits.Check(t, *size, cases)
}

func callResult() wire.Decodable { return new(mcp.CallToolResult) }
func listTools() wire.Decodable  { return new(mcp.ListToolsResult) }
func messages() wire.Decodable   { return new(mcp.CreateMessageRequestParams) }
func elicit() wire.Decodable     { return new(mcp.ElicitRequestFormParams) }
