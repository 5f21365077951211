package golden_test

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// What a program links of the generated package and of wire depends on what it uses.
func TestLinkedSize(t *testing.T) {
	testenv.Long(t)
	const KiB = 1024
	decode := linkedSize(t, "decode")
	method := linkedSize(t, "method")
	t.Logf("decoding one CallToolRequestParams links %d KiB, using one method %d KiB more", decode/KiB, (method-decode)/KiB)
	if decode > 128*KiB {
		t.Errorf("decoding one CallToolRequestParams links %d bytes of mcp and wire, want at most 128 KiB", decode)
	}
	if method-decode > 80*KiB {
		t.Errorf("using one method links %d bytes more, want at most 80 KiB", method-decode)
	}
}

// linkedSize builds the program in testdata/size and adds up its symbols that come from the
// generated package or from wire.
func linkedSize(t *testing.T, program string) int {
	t.Helper()
	bin := filepath.Join(t.TempDir(), program)
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/size/"+program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "nm", "-size", bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	total, symbols := 0, 0
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "mcpgen/mcpgen/mcp.") && !strings.Contains(line, "mcpgen/mcpgen/runtime/wire.") {
			continue
		}
		fields := strings.Fields(line) // address, size, kind, name
		size, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		total += size
		symbols++
	}
	if symbols < 20 {
		t.Fatalf("only %d symbols: what is measured has changed its name", symbols)
	}
	return total
}
