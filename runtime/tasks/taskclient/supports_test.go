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

// A tool that was forgotten for want of room is not taken for one that does not exist, even after all have been listed.
func TestForgottenTools(t *testing.T) {
	for length, tools := range map[int]int{10: maxTools + 1, 100 << 10: 200} {
		var s supports
		list := make([]mcp.Tool, tools)
		for i := range list {
			list[i] = mcp.Tool{Name: fmt.Sprint(strings.Repeat("n", length), i), Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired}}
		}
		s.learn(list)
		s.complete("none")
		if support, known := s.get(list[0].Name); known {
			t.Errorf("names of %d bytes: the first of %d tools is known to have the support %q", length, tools, support)
		}
		if _, known := s.get("none"); !known {
			t.Errorf("names of %d bytes: it is not remembered that there is no such tool", length)
		}
		if support, known := s.get(list[tools-1].Name); !known || support != mcp.ToolExecutionTaskSupportRequired {
			t.Errorf("names of %d bytes: the last tool has the support %q, %v", length, support, known)
		}
		s.forget()
		s.learn(list[:10])
		s.complete("none")
		if _, known := s.get("another"); !known {
			t.Errorf("names of %d bytes: all tools are known, but not that there is no other one", length)
		}
	}
}
