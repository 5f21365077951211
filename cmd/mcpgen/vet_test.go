package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

func TestIsVet(t *testing.T) {
	for _, test := range []struct {
		args string
		want bool
	}{
		{"-V=full", true},
		{"-flags", true},
		{"work/b001/vet.cfg", true},
		{"-mcp.x -json vet.cfg", true},
		{"", false},
		{"-V=full tools", false},
		{"tools vet.cfg", false},
		{"-h", false},
	} {
		if got := isVet(strings.Fields(test.args)); got != test.want {
			t.Errorf("mcpgen %s is vet: %v, want %v", test.args, got, test.want)
		}
	}
}

// TestVet has the go command run mcpgen as its vet tool, over a module with mistakes.
func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module, which -short does without")
	}
	dir := testenv.Dir(t) // the same each time, since the go command prints again what it has kept
	for name, text := range map[string]string{
		"wrong/wrong.go": `package wrong

//mcp:tool readnly
func Forecast(city string) string { return city }
`,
		"stale/stale.go": `package stale

// Forecast predicts.
//
//mcp:tool
func Forecast(city string) string { return city }
`,
		"stale/inside_test.go":  "package stale\n\n//mcp:tool readnly\nfunc helper() { Forecast(\"\") }\n\nvar a, d, err, content int // names that the generated code has for variables\n",
		"stale/outside_test.go": "package stale_test\n",
		"plain/plain.go":        "package plain\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	writeModule(t, dir, "example.com/vetted")
	tool, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	vet := func(patterns ...string) (out string, code int) {
		t.Helper()
		cmd := exec.Command("go", slices.Concat([]string{"vet", "-vettool=" + tool}, patterns)...)
		cmd.Dir = dir
		cmd.Env = slices.Concat(os.Environ(), offline, []string{asCommand + "=1"})
		text, err := cmd.CombinedOutput()
		if _, ok := err.(*exec.ExitError); err != nil && !ok {
			t.Fatal(err)
		}
		return string(text), cmd.ProcessState.ExitCode()
	}

	t.Chdir(dir)
	for _, v := range offline {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	misspelt := func(patterns ...string) {
		t.Helper()
		out, code := vet(patterns...)
		if code != 1 || !strings.Contains(out, "wrong/wrong.go:3:12: //mcp:tool: there is no readnly; did you mean readonly?") || strings.Contains(out, "stale.go") {
			t.Errorf("go vet exits with %d and prints\n%s", code, out)
		}
	}
	misspelt("./wrong", "./plain")
	if !testenv.Full() {
		return // what was generated imports much, of which the tool would be asked for each package
	}
	mcpgen(t, "tools", "./stale")
	misspelt("./...")

	for name, edit := range map[string][2]string{
		"wrong/wrong.go": {"readnly", "readonly"},
		"stale/stale.go": {"predicts", "foretells"},
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(text), edit[0], edit[1], 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, code := vet("./...")
	want := []string{
		"stale/mcp_gen.go:3:1: mcp_gen.go is stale: run go generate",
		"wrong/wrong.go:1:1: mcp_gen.go is missing: run go generate",
	}
	if diff := cmp.Diff(want, findings(out)); code != 1 || diff != "" {
		t.Errorf("go vet exits with %d; -want +got:\n%s", code, diff)
	}

	mcpgen(t, "tools", "./...")
	if out, code := vet("./..."); code != 0 || out != "" {
		t.Errorf("go vet exits with %d and prints\n%s", code, out)
	}

	// Code that does not fit a function any more says so at the function, though the package does not compile.
	fits, err := os.ReadFile("stale/stale.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("stale/stale.go", bytes.Replace(fits, []byte("city string"), []byte("city string, days int"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	out, code = vet("./stale")
	if code != 1 || !strings.HasPrefix(findings(out)[0], "have (string)") ||
		!strings.Contains(out, "stale/stale.go:6:6: mcp_gen.go is stale, and does not fit this function: run go generate\n") ||
		!strings.Contains(out, "not enough arguments in call to Forecast") {
		t.Errorf("go vet exits with %d and prints\n%s", code, out)
	}
	if err := os.WriteFile("stale/stale.go", fits, 0o666); err != nil {
		t.Fatal(err)
	}

	// A file alone is not the package whose code was generated, and line ends are not what code says.
	if out, code := vet("./stale/stale.go"); code != 0 || out != "" {
		t.Errorf("of a file, go vet exits with %d and prints\n%s", code, out)
	}
	generated, err := os.ReadFile("stale/mcp_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("stale/mcp_gen.go", bytes.ReplaceAll(generated, []byte("\n"), []byte("\r\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, code := vet("./stale"); code != 0 || out != "" {
		t.Errorf("with CRLF, go vet exits with %d and prints\n%s", code, out)
	}
}

// findings returns the lines that go vet prints, sorted, since packages are vetted in any order.
func findings(out string) []string {
	var lines []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "#") { // the name of the package
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	slices.Sort(lines)
	return lines
}
