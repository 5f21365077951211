package client_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generator/client"
)

// BenchmarkGenerate generates a client of 120 tools.
func BenchmarkGenerate(b *testing.B) {
	c := corpus(b, "*")
	c.Tools = c.Tools[:120]
	for b.Loop() {
		if _, err := client.Generate(c, client.Options{Package: "example"}); err != nil {
			b.Fatal(err)
		}
	}
}
