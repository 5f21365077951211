package emit_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools/internal/emit"
	"github.com/mcpgen/mcpgen/mcp"
)

// Servers of both kinds send the same number of completions, which is that of the schema.
func TestMaxCompletions(t *testing.T) {
	if emit.MaxCompletions != mcp.MaxCompleteResultCompletionValues {
		t.Errorf("MaxCompletions is %d, want %d", emit.MaxCompletions, mcp.MaxCompleteResultCompletionValues)
	}
}
