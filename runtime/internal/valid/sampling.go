package valid

import (
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
)

// Sampling checks the rules for tools in a conversation: the results of tools are alone in a message
// of the user, right after the message that uses these tools.
//
// REQ SAMP-13, SAMP-12
func Sampling(messages []mcp.SamplingMessage) error {
	var wanted map[string]bool // tool uses of the message before
	for i, m := range messages {
		uses, results := map[string]bool{}, 0
		for _, block := range m.Content {
			switch b := block.(type) {
			case *mcp.ToolUseContent:
				if m.Role != mcp.RoleAssistant {
					return fmt.Errorf("messages[%d]: want the role assistant for the use of a tool, got %q", i, m.Role)
				}
				uses[b.ID] = true
			case *mcp.ToolResultContent:
				if m.Role != mcp.RoleUser || !wanted[b.ToolUseID] {
					return fmt.Errorf("messages[%d]: the result of tool use %q does not follow it", i, b.ToolUseID)
				}
				results++
				delete(wanted, b.ToolUseID)
			}
		}
		if results > 0 && results < len(m.Content) {
			return fmt.Errorf("messages[%d]: want the results of tools alone in their message", i)
		}
		for id := range wanted {
			return fmt.Errorf("messages[%d]: the result of tool use %q is missing", i, id)
		}
		wanted = uses
	}
	for id := range wanted {
		return fmt.Errorf("messages: the result of tool use %q is missing", id)
	}
	return nil
}
