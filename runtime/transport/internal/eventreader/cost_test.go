package eventreader_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventreader"
)

var size = limits.Flags()

// TestCost is the table of what hostile streams of events cost.
func TestCost(t *testing.T) {
	var cases []limits.Case
	for name, item := range map[string]string{
		"lines of empty data": "data\n", "lines of data": "data:x\n", "events": "data:\n\n", "carriage returns": "\r", "line feeds": "\n",
		"comments": ":\n", "a long line": "x", "ids": "id:x\n", "retries": "retry:1\n", "types": "event:x\n", "unknown fields": "y:\n",
		"ids and blank lines": "id:" + strings.Repeat("x", 100) + "\n\n", "digits": "9", "byte order marks": "\ufeff",
	} {
		cases = append(cases, limits.Case{
			Name: "eventreader: " + name, Than: limits.Text,
			Input: func(n int) string { return "retry:" + strings.Repeat(item, n/len(item)) },
			Run: func(in string) string {
				r := eventreader.New(strings.NewReader(in), 0)
				for {
					if _, err := r.Next(); errors.Is(err, io.EOF) {
						return ""
					} else if err != nil {
						return err.Error()
					}
				}
			},
		})
	}
	limits.Check(t, *size, cases)
}
