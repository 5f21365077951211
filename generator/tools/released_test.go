package tools_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
)

// TestReleased compares what is generated now with what an older mcpgen generated for the same functions: what
// the generator makes of code that nobody changed breaks nobody.
func TestReleased(t *testing.T) {
	for name, folder := range map[string]string{
		"annotated": "../../golden/annotated", "weather": "../../examples/weather", "notes": "../../examples/notes", "example": "internal/example",
	} {
		old := lockFile(t, filepath.Join("testdata", "released", name+".lock.json"))
		now := lockFile(t, filepath.Join(folder, "mcp.lock.json"))
		compared := 0
		for entry := range maps.Keys(old.Tools) {
			if now.Tools[entry] != nil {
				compared++
			}
		}
		if compared == 0 {
			t.Errorf("%s: no tool of then is there now", name)
		}
		for _, c := range contract.Compare(old, now) {
			if c.Breaking {
				t.Errorf("%s: %s; if the function changed, rather than what is generated for it, write it into testdata/released/%s.lock.json", name, c, name)
			}
		}
	}
}

func lockFile(t *testing.T, file string) *contract.Contract {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
