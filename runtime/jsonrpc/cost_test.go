package jsonrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

var size = limits.Flags()

// TestCost is the table of what hostile envelopes and batches cost.
func TestCost(t *testing.T) {
	long := func(open, item, end string) func(int) string {
		return func(n int) string { return open + strings.Repeat(item, n/len(item)) + end }
	}
	var cases []limits.Case
	for name, input := range map[string]func(int) string{
		"a long method":    long(`{"jsonrpc":"2.0","id":1,"method":"`, `\u0000`, `"}`),
		"a long id":        long(`{"jsonrpc":"2.0","method":"x","id":"`, `\ufffd`, `"}`),
		"an id of digits":  long(`{"jsonrpc":"2.0","method":"x","id":`, `9`, `}`),
		"a long version":   long(`{"id":1,"method":"x","jsonrpc":"`, `x`, `"}`),
		"deep params":      long(`{"jsonrpc":"2.0","id":1,"method":"x","params":`, `[`, `}`),
		"many metas":       long(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1`, `,"_meta":{}`, `}}`),
		"a long error":     long(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"`, `\"`, `"}}`),
		"a syntax mistake": long(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[`, `[],`, `x]}}`),
		"unknown members": func(n int) string {
			return limits.List(n, `{"jsonrpc":"2.0","id":1,"method":"x",`, `}`, func(i int) string { return fmt.Sprintf(`"%d":1`, i) })
		},
		"duplicate unknown members": func(n int) string {
			return limits.List(n, `{"jsonrpc":"2.0","id":1,"method":"x",`, `,"0":1}`, func(i int) string { return fmt.Sprintf(`"%d":1`, i) })
		},
	} {
		cases = append(cases, limits.Case{Name: "jsonrpc: " + name, Input: input, Run: func(in string) string {
			m, err := jsonrpc.Parse([]byte(in))
			if err == nil && m.Error != nil {
				err = m.Error
			}
			if err != nil {
				return err.Error()
			}
			return ""
		}})
	}
	for _, item := range []string{"1,", "[],", `{"jsonrpc":"2.0","id":1,"method":"x"},`} {
		cases = append(cases, limits.Case{Name: "jsonrpc: batches of " + item, Input: long("[", item, "1]"), Run: func(in string) string {
			if _, err := jsonrpc.SplitBatch([]byte(in), 100); err != nil {
				return err.Error()
			}
			return ""
		}})
	}
	limits.Check(t, *size, cases)
}
