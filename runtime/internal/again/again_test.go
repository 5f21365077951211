package again_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/again"
)

func TestAgain(t *testing.T) {
	if ctx := t.Context(); again.Is(ctx) || !again.Is(again.With(ctx)) {
		t.Error("a context is one of With that is not, or the reverse")
	}
}
