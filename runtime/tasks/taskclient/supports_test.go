package taskclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
)

// What is remembered of the tools of a server is bounded, in number and in bytes.
func TestSupportsAreBounded(t *testing.T) {
	for length, tools := range map[int]int{10: 12_000, 100 << 10: 200} {
		var s supports
		for i := range tools {
			s.learn([]mcp.Tool{{Name: fmt.Sprint(strings.Repeat("n", length), i)}})
		}
		if n := s.kept.Len(); n > maxTools || n < 90 {
			t.Errorf("names of %d bytes: %d are kept", length, n)
		}
		if n := s.kept.Size(); n > maxTools<<10 {
			t.Errorf("names of %d bytes: %d bytes are kept", length, n)
		}
	}
}
