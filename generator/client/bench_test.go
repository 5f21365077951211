package client

import "testing"

// BenchmarkGenerate generates a client of 120 tools.
func BenchmarkGenerate(b *testing.B) {
	c := corpus(b, "*")
	c.Tools = c.Tools[:120]
	for b.Loop() {
		if _, err := Generate(c, Options{Package: "example"}); err != nil {
			b.Fatal(err)
		}
	}
}
