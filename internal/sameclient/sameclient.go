// Package sameclient tests that a typed client made from the lock file of a server is the one made from the server.
package sameclient

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	typed "github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/runtime/client"
)

// Check generates the clients of a server, whose generated code is in the working directory, and compares them.
func Check(t *testing.T, c *client.Client) {
	t.Helper()
	data, err := os.ReadFile("mcp.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	locked, err := typed.Parse("mcp.lock.json", data)
	if err != nil {
		t.Fatal(err)
	}
	if locked.Bare {
		t.Fatal("the definitions are not read from mcp_gen.go")
	}
	listed := &typed.Contract{Server: *c.Server().Info}
	for v, err := range c.Tools(t.Context()) {
		add(t, &listed.Tools, v, err)
	}
	if c.Server().Capabilities.Prompts != nil {
		for v, err := range c.Prompts(t.Context()) {
			add(t, &listed.Prompts, v, err)
		}
	}
	if c.Server().Capabilities.Resources != nil {
		for v, err := range c.ResourceTemplates(t.Context()) {
			add(t, &listed.ResourceTemplates, v, err)
		}
	}
	if diff := cmp.Diff(generate(t, listed), generate(t, locked.Contract)); diff != "" {
		t.Errorf("the client of the server (-) is not that of its lock file (+):\n%s", diff)
	}
}

func add[T any](t *testing.T, list *[]T, v *T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	*list = append(*list, *v)
}

// generate returns the code of a client, as mcpgen client makes it from its own lock file.
func generate(t *testing.T, c *typed.Contract) string {
	t.Helper()
	text, err := (&typed.Lock{Contract: c}).Format()
	if err != nil {
		t.Fatal(err)
	}
	lock, err := typed.ParseLock("mcp.client.lock.json", text)
	if err != nil {
		t.Fatal(err)
	}
	made, err := typed.Generate(lock.Contract, typed.Options{Package: "same"})
	if err != nil {
		t.Fatal(err)
	}
	return string(made.Source)
}
