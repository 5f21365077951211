// Package original compares the tools of a port with those of the server that it was written after.
package original

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/adopt"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Checkout returns the folder of the original's repository, which an environment variable names. Without it, the test is skipped.
func Checkout(t *testing.T, variable string) string {
	t.Helper()
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skipf("%s names no checkout of the original", variable)
	}
	return dir
}

// Tools lists the tools of a server.
func Tools(t *testing.T, c *client.Client) []mcp.Tool {
	t.Helper()
	var tools []mcp.Tool
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, *tool)
	}
	return tools
}

// Snapshots reads definitions, of which each is a file.
func Snapshots(t *testing.T, files ...string) []mcp.Tool {
	t.Helper()
	tools := make([]mcp.Tool, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &tools[i]); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return tools
}

// Start builds a main package of a checkout, starts it with the environment of the test and more, and returns a client of it.
func Start(t *testing.T, dir, pkg string, env []string, args ...string) *client.Client {
	t.Helper()
	program := filepath.Join(t.TempDir(), "original")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, pkg)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))
	command := &stdio.Command{Path: program, Args: args, Env: append(os.Environ(), env...), Options: stdio.Options{Logger: logger}}
	process, err := command.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Connect(t.Context(), process, &client.Options{Info: mcp.Implementation{Name: "original", Version: "1"}, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Compare fails the test for each difference between the definitions of two servers.
func Compare(t *testing.T, was, is []mcp.Tool) {
	t.Helper()
	for _, d := range Differences(was, is) {
		t.Error(d)
	}
}

// Differences returns how definitions differ: schemas and hints by what they mean. Descriptions and titles are each server's own;
// only what one server describes and the other does not is a difference.
func Differences(was, is []mcp.Tool) []string {
	recording := func(tools []mcp.Tool) *adopt.Recording {
		tools = slices.SortedFunc(slices.Values(tools), func(a, b mcp.Tool) int { return strings.Compare(a.Name, b.Name) })
		for i := range tools {
			tools[i] = wordless(tools[i])
		}
		return &adopt.Recording{Revisions: []adopt.Revision{{Revision: mcp.V2026_07_28.String(), Tools: tools}}}
	}
	var all []string
	for _, d := range adopt.Compare(recording(was), recording(is)) {
		all = append(all, d.What)
	}
	return all
}

// words stands for each description and title.
const words = "…"

// wordless returns a definition with words for each description and title that it has.
func wordless(tool mcp.Tool) mcp.Tool {
	titled := client.ToolTitle(&tool) != tool.Name
	if tool.Annotations != nil {
		annotations := *tool.Annotations
		annotations.Title, tool.Annotations = "", &annotations
	}
	tool.Title = ""
	if titled {
		tool.Title = words
	}
	if tool.Description != "" {
		tool.Description = words
	}
	tool.InputSchema, tool.OutputSchema = wordlessSchema(tool.InputSchema), wordlessSchema(tool.OutputSchema)
	return tool
}

// wordlessSchema does it with a schema. What is no JSON stays.
func wordlessSchema(schema wire.Raw) wire.Raw {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return schema
	}
	var replace func(v any)
	replace = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				text, isText := member.(string)
				switch {
				case isText && text != "" && (name == "description" || name == "title"):
					v[name] = words
				case !slices.Contains([]string{"const", "default", "enum", "examples"}, name): // values, which may have such members, too
					replace(member)
				}
			}
		case []any:
			for _, element := range v {
				replace(element)
			}
		}
	}
	replace(v)
	text, err := json.Marshal(v)
	if err != nil {
		return schema
	}
	return text
}

// Facts returns what definitions say beside descriptions and titles, which must not be empty: for each tool a line with its name
// and the hints that are not what the protocol says of absent ones, and a line for each argument. A required one has an
// exclamation mark.
func Facts(t *testing.T, tools []mcp.Tool) string {
	t.Helper()
	var b strings.Builder
	for i := range tools {
		tool := &tools[i]
		if tool.Description == "" || client.ToolTitle(tool) == tool.Name {
			t.Errorf("%s has no description, or no title", tool.Name)
		}
		b.WriteString(tool.Name)
		a := tool.Annotations
		for _, hint := range []struct {
			word string
			is   bool
		}{
			{"readonly", a.GetReadOnlyHint()},
			{"nondestructive", !a.GetReadOnlyHint() && !a.GetDestructiveHint()},
			{"idempotent", !a.GetReadOnlyHint() && a.GetIdempotentHint()},
			{"closedworld", !a.GetOpenWorldHint()},
			{"output", tool.OutputSchema != nil},
		} {
			if hint.is {
				b.WriteString(" " + hint.word)
			}
		}
		b.WriteString("\n" + arguments(t, tool))
	}
	return b.String()
}

// arguments returns the facts of a tool's arguments.
func arguments(t *testing.T, tool *mcp.Tool) string {
	t.Helper()
	var schema struct {
		Required   []string
		Properties map[string]map[string]any
		Additional any `json:"additionalProperties"`
	}
	if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		if text, _ := property["description"].(string); text == "" {
			t.Errorf("%s: %s has no description", tool.Name, name)
		}
		delete(property, "description")
		b.WriteString("\t" + name)
		if slices.Contains(schema.Required, name) {
			b.WriteString("!")
		}
		for _, key := range slices.Sorted(maps.Keys(property)) {
			fmt.Fprintf(&b, " %s=%v", key, property[key])
		}
		b.WriteString("\n")
	}
	if schema.Additional != nil {
		fmt.Fprintf(&b, "\tadditionalProperties=%v\n", schema.Additional)
	}
	return b.String()
}
