package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/client"
)

// The lock file of a server has no descriptions, and in its enums the numbers of constants beside their names. The Go
// file beside it has the definitions; one that is not for this runtime, or of another server, does not count.
func TestParseServerLock(t *testing.T) {
	const lock = `{"version":3,"tools":{"rank":{"description":"07aa8936","result":"content","input":{"type":"object","properties":{` +
		`"level":{"enum":["low","high",1,2]},"other":{"enum":["a","b",1]}},"required":["level"],"additionalProperties":false}}}}`
	const file = "package p\n\nimport \"github.com/mcpgen/mcpgen/mcp\"\n\nconst in = `{\"type\":\"object\"}`\n\n" +
		"var t = mcp.Tool{\n\tName: \"rank\",\n\tDescription: \"Ranks.\",\n\tInputSchema: wire.Raw(in),\n\tIcons: []mcp.Icon{{Src: \"x\"}},\n" +
		"\tExecution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional},\n" +
		"\tAnnotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true), DestructiveHint: new(false)},\n}\n\n" +
		"var p = mcp.Prompt{Name: \"p\", Arguments: []mcp.PromptArgument{{Name: \"a\", Required: new(true)}}}\n\n" +
		"var r = mcp.ResourceTemplate{Name: \"r\", URITemplate: \"a:{b}\", Annotations: &mcp.Annotations{Priority: new(0.5)}}\n"
	for name, test := range map[string]struct {
		file string
		bare bool
	}{
		"alone":          {"", true},
		"with its file":  {file, false},
		"no Go":          {"package", true},
		"of another SDK": {strings.Replace(file, "mcpgen/mcpgen/mcp", "other/sdk/mcp", 1), true},
		"edited":         {strings.Replace(file, `"Ranks."`, `text()`, 1), true},
		"of another":     {"package p\n\nimport \"github.com/mcpgen/mcpgen/mcp\"\n\nvar t = mcp.Tool{Name: \"other\"}\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if test.file != "" {
				if err := os.WriteFile(filepath.Join(dir, "mcp_gen.go"), []byte(test.file), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			l, err := client.Parse(filepath.ToSlash(filepath.Join(dir, "mcp.lock.json")), []byte(lock))
			if err != nil || l.Bare != test.bare || len(l.Contract.Tools) != 1 {
				t.Fatalf("got %+v, %v", l, err)
			}
			tool, c := l.Contract.Tools[0], l.Contract
			if test.bare {
				if got := string(tool.InputSchema); !strings.Contains(got, `"level":{"enum":["low","high"],"type":"string"}`) || !strings.Contains(got, `"other":{"enum":["a","b",1]}`) {
					t.Errorf("got %s", got)
				}
				return
			}
			if string(tool.InputSchema) != `{"type":"object"}` || tool.Description != "Ranks." || tool.Execution.GetTaskSupport() != "optional" ||
				!*tool.Annotations.ReadOnlyHint || *tool.Annotations.DestructiveHint || !*c.Prompts[0].Arguments[0].Required || c.ResourceTemplates[0].URITemplate != "a:{b}" {
				t.Errorf("got %+v, %+v, %+v", tool, c.Prompts, c.ResourceTemplates)
			}
		})
	}
}
