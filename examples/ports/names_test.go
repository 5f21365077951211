package ports

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNames looks for what the table of docs/from-go-sdk.md names: in go-sdk on the left, here on the right.
func TestNames(t *testing.T) {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/modelcontextprotocol/go-sdk/mcp").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("go-sdk has no files: %v", err)
	}
	var theirs strings.Builder
	for _, file := range files {
		theirs.WriteString(read(t, file))
	}
	ours := read(t, "../../docs/api.txt")
	_, table, _ := strings.Cut(read(t, "../../docs/from-go-sdk.md"), "\n| go-sdk | mcpgen | more |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	name := regexp.MustCompile("`(?:\\w+\\.)?([A-Z]\\w+)`")
	checked := 0
	for row := range strings.Lines(table) {
		left, right, _ := strings.Cut(row, " | ")
		for _, m := range name.FindAllStringSubmatch(left, -1) {
			checked++
			if !regexp.MustCompile(`(?m)(^func (\(.*?\) )?|^type |^\t)` + m[1] + `\b`).MatchString(theirs.String()) {
				t.Errorf("go-sdk has no %s", m[0])
			}
		}
		for _, m := range name.FindAllStringSubmatch(right, -1) {
			checked++
			if m[1] != "NewServer" && !regexp.MustCompile(`(func |\)\.|type | struct: )`+m[1]+`\b`).MatchString(ours) {
				t.Errorf("there is no %s", m[0])
			}
		}
	}
	if checked < 40 {
		t.Errorf("the table has %d names, want 40 or more", checked)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
