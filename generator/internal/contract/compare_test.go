package contract_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
)

// lock parses a lock file with one tool that takes, and returns, what the members of these
// schemas of objects say.
func lock(t *testing.T, input, output string) *contract.Contract {
	t.Helper()
	c, err := contract.Parse("mcp.lock.json", fmt.Appendf(nil, `{"version": 4, "tools": {"t": {"input": {"type": "object"%s}, "output": {"type": "object"%s}}}}`, input, output))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lines returns changes as text, those that break callers with ! in front.
func lines(all []contract.Change) string {
	var b strings.Builder
	for _, c := range all {
		mark := "  "
		if c.Breaking {
			mark = "! "
		}
		b.WriteString(mark + c.String() + "\n")
	}
	return b.String()
}

// TestCompareSchemas has each row of the table in the package's documentation: the changes when a
// schema is sent, and when it is returned.
func TestCompareSchemas(t *testing.T) {
	testTable(t, "compare.txt", func(old, new string) []contract.Change {
		return contract.Compare(lock(t, old, old), lock(t, new, new))
	})
}

// TestTooDeep compares types whose definitions are more steps apart than a comparison takes.
func TestTooDeep(t *testing.T) {
	of := func(end string) *contract.Contract {
		var defs strings.Builder
		for i := range 1100 {
			fmt.Fprintf(&defs, `"d%d": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d%d"}}}, `, i, i+1)
		}
		return lock(t, `, "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {`+defs.String()+`"d1100": {"type": "`+end+`"}}`, "")
	}
	all := contract.Compare(of("string"), of("integer"))
	if len(all) != 1 || !all[0].Breaking || all[0].Text != "nested too deep to be compared" {
		t.Errorf("got\n%s", lines(all))
	}
}

// testTable compares the changes in a file of testdata, which has schemas before and after, with those
// that compare returns.
func testTable(t *testing.T, file string, compare func(old, new string) []contract.Change) {
	t.Helper()
	path := filepath.Join("testdata", file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		var old, new string
		for line := range strings.Lines(block) {
			switch {
			case strings.HasPrefix(line, "# "):
			case strings.HasPrefix(line, "- "):
				old = strings.TrimSpace(line[2:])
			case strings.HasPrefix(line, "+ "):
				new = strings.TrimSpace(line[2:])
			default:
				continue
			}
			got.WriteString(strings.TrimRight(line, "\n") + "\n")
		}
		for _, c := range compare(old, new) {
			line := "  " + c.Path + ": " + c.Text
			if c.Breaking {
				line = "! " + c.Path + ": " + c.Text
			}
			if c.Cure != "" {
				line += "; " + c.Cure
			}
			got.WriteString(line + "\n")
		}
		got.WriteByte('\n')
		if same := compare(old, old); len(same) > 0 {
			t.Errorf("%s\ndiffers from itself:\n%s", old, lines(same))
		}
	}
	text := strings.TrimSuffix(got.String(), "\n")
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(data), text); diff != "" {
		t.Errorf("-want +got (run with -update to accept):\n%s", diff)
	}
}
