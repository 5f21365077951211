package annotated

import "github.com/mcpgen/mcpgen/runtime/server"

// Sample returns a server with everything that is annotated here, and some data for it.
func Sample(opts *server.Options) (*server.Server, error) {
	b := &Box[Unit]{Value: InKelvin}
	f := &Files{Text: map[string]string{"a.txt": "A", "a/b.txt": "B"}}
	w := &Weather{Cities: map[string][]Day{"Oslo": {{4.5, 0.25}, {6, 0}, {-1.5, 1}, {0, 0.5}}}}
	return NewServer(b, f, new(Memory), w, opts)
}
