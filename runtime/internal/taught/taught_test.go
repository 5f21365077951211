package taught

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
)

// What the runtime speaks is generated, without a gap: a revision may only be missing at the end, while it is
// being taught.
func TestRevisions(t *testing.T) {
	generated := mcp.Revisions()
	if list := Revisions(); len(list) > len(generated) || !slices.Equal(list, generated[:len(list)]) {
		t.Errorf("taught are %v, generated %v: want the same, or the first of them", list, generated)
	}
}
