package repo

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/runtime/server"
)

// testPeers has the server and the client of a new revision, which are built in dir, speak with those that are built
// here, which do not have it.
func testPeers(t *testing.T, dir, revision string) {
	bin := t.TempDir()
	archive, err := txtar.ParseFile("internal/repo/testdata/peers.txtar")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	for _, f := range archive.Files {
		name := filepath.Join("peers", filepath.FromSlash(f.Name))
		writeIn(t, dir, name, string(f.Data))
		if filepath.Base(name) != "later.go" {
			overlay[filepath.Join(here, name)] = filepath.Join(dir, name)
		}
	}
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	writeIn(t, bin, "overlay.json", string(replace))
	for _, side := range []string{"server", "client"} {
		run(t, dir, "go build -o "+filepath.Join(bin, "new-"+side)+" ./peers/"+side)
		run(t, here, "go build -overlay "+filepath.Join(bin, "overlay.json")+" -o "+filepath.Join(bin, "old-"+side)+" ./peers/"+side)
	}
	call := func(name, want string, args ...string) {
		t.Helper()
		for i, arg := range args {
			if strings.HasSuffix(arg, "-server") {
				args[i] = filepath.Join(bin, arg)
			}
		}
		out, err := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s %q: %v, got\n%swant\n%s", name, args, err, out, want)
		}
	}
	speaks := func(revision string) string { return "speaks " + revision + "\necho " + revision + "\n" }
	noTable := func(old string) string {
		return "table the result cannot be sent: CallToolResult: content[0]: TableContent exists since " + revision + ", not in " + old + " (-32603)\n"
	}
	noTokens := func(old string) string {
		return "tokens tokens/count: clients cannot call it in revision " + old + "\n"
	}
	var newest string
	for _, r := range server.Revisions() {
		old := r.String()
		call("new-client", speaks(old)+noTokens(old), "all", "old-server", old)
		call("old-client", speaks(old)+noTable(old), old, "new-server")
		newest = old
	}
	call("new-client", speaks(newest)+noTokens(newest), "all", "old-server")
	call("old-client", speaks(newest)+noTable(newest), "all", "new-server")
	call("new-client", speaks(revision)+"table *mcp.TableContent\ntokens 2\n", "all", "new-server")
}
