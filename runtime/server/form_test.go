package server

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
)

// REQ ELIC-06
func TestImpossibleForm(t *testing.T) {
	if err := checkForm(&mcp.ElicitRequestFormParamsRequestedSchema{Required: []string{"z"}}); err == nil {
		t.Error("a form that nobody can fill in was accepted")
	}
}
