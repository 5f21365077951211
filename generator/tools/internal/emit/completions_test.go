package emit

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
)

// Servers of both kinds send the same number of completions, which is that of the schema.
func TestMaxCompletions(t *testing.T) {
	if maxCompletions != mcp.MaxCompleteResultCompletionValues {
		t.Errorf("maxCompletions is %d, want %d", maxCompletions, mcp.MaxCompleteResultCompletionValues)
	}
}
