package repo

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/randrevision"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

var (
	revisionSeed = flag.Uint64("revision.seed", 1, "of what the new revision has at random; 0 is another one each time")
	revisionFull = flag.Bool("revision.full", false, "in the copy with the new revision, also run the tests that -short leaves out, and those of the modules of their own")
)

// TestNewRevision follows docs/new-revision.md in a copy of this repository: it runs the commands, and does what is to be
// done by hand. No test of the copy fails then, and its server and client understand those that do not have the revision. What the revision changes is what peers.txtar uses, and more at random.
func TestNewRevision(t *testing.T) {
	if !testenv.Full() {
		t.Skip("takes minutes; to run it: MCPGEN_FULL=1 go test ./internal/repo -run TestNewRevision -timeout 30m")
	}
	dir := copyModule(t)
	seed := *revisionSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("to have the same revision again: -revision.seed %d", seed)
	official := randrevision.Make(nextOfficial(read(t, "schema/2026-07-28/schema.ts")), seed)
	renamed, to := official.Rename()
	writeIn(t, dir, "official/schema.ts", official.Text)
	byHand := map[string]func(){
		"2. Adopt the schema": func() {
			const file = "schema/2027-03-15/schema.ts"
			adopted := readIn(t, dir, file)
			if n := strings.Count(adopted, "--"); n < 8 || n > 100 {
				t.Errorf("%d marks in the adopted schema, want about 50", n)
			}
			writeIn(t, dir, file, regexp.MustCompile(`--( was: .*)?`).ReplaceAllString(adopted, "Words of ours."))
		},
		"3. Add it to the lists": func() {
			addAfter(t, dir, "schema/schema.go", `{"2026-07-28", "`, `		{"2027-03-15", "`+strings.Repeat("0123456789abcdef", 4)+`"},`)
			addAfter(t, dir, "generate.go", "-revision 2026-07-28 ", "//go:generate go run ./cmd/mcpgen bindings -revision 2027-03-15 -package mcp20270315 -out golden/mcp20270315")
			addAfter(t, dir, "model/table.go", "var table = []exception{", fmt.Sprintf("\t{do: rename, at: %q, to: %q, from: %q,\n\t\treason: \"renamed in 2027-03-15; the wire is the same\"},", to, renamed, "2027-03-15"))
		},
		"4. Generate": func() {
			const file, heading = "docs/revisions.md", "## 2026-07-28 → 2027-03-15\n"
			text := strings.Replace(readIn(t, dir, file), heading, heading+"\nServers count tokens for clients, `tokens/count`.\n", 1)
			writeIn(t, dir, file, text)
			run(t, dir, "go test -vet=off ./runtime/mcptest ./runtime/server ./runtime/client ./runtime/transport/streamable")
		},
		"5. Teach it": func() {
			const file = "runtime/internal/taught/taught.go"
			writeIn(t, dir, file, strings.Replace(readIn(t, dir, file), "mcp.V2026_07_28}", "mcp.V2026_07_28, mcp.V2027_03_15}", 1))
		},
	}
	for section := range strings.SplitSeq(read(t, "docs/new-revision.md"), "\n## ") {
		title, text, _ := strings.Cut(section, "\n")
		if byHand[title] != nil && !strings.Contains(text, "```sh\n") || title == "5. Teach it" {
			byHand[title]()
			delete(byHand, title)
		}
		for i, block := range strings.Split(text, "```sh\n") {
			if i == 0 {
				continue
			}
			block, _, _ = strings.Cut(block, "```")
			for command := range strings.Lines(block) {
				run(t, dir, strings.TrimSpace(command))
			}
		}
		if byHand[title] != nil {
			byHand[title]()
			delete(byHand, title)
		}
	}
	for title := range byHand {
		t.Errorf("docs/new-revision.md has no section %q", title)
	}
	testPeers(t, dir, "2027-03-15")
	const test = "go test -vet=off -ldflags='-s -w' -timeout 20m "
	if !*revisionFull {
		// Section 4 has tested the commands.
		run(t, dir, test+"-short $(go list ./... | grep -vx github.com/mcpgen/mcpgen/cmd/mcpgen)")
		return
	}
	run(t, dir, test+"./...")
	for _, name := range ownModules(t) {
		t.Run(name, func(t *testing.T) {
			in := filepath.Join(dir, filepath.FromSlash(name))
			list := exec.Command("go", "list", "-deps", "-test", "./...")
			list.Dir, list.Env = in, append(os.Environ(), "GOPROXY=off")
			if out, err := list.CombinedOutput(); err != nil {
				t.Skipf("needs modules that are not here: (cd %s && go mod download): %v\n%s", name, err, out)
			}
			run(t, in, "go build ./... && "+test+"./...")
		})
	}
}

// ownModules returns the folders of the modules of their own that have tests.
func ownModules(t *testing.T) (all []string) {
	t.Helper()
	for _, name := range tracked(t) {
		if dir, base := path.Split(name); base == "go.mod" && dir != "" && dir != "internal/lint/" && !strings.Contains(dir, "testdata") {
			all = append(all, path.Clean(dir))
		}
	}
	return all
}

// tracked returns the files of this repository that git knows, or could.
func tracked(t *testing.T) []string {
	t.Helper()
	files, err := exec.Command("git", "ls-files", "-z", "-c", "-o", "--exclude-standard").Output()
	if err != nil {
		t.Skipf("git names the files of this module: install it, and run this test in a checkout: %v", err)
	}
	return strings.Split(strings.TrimRight(string(files), "\x00"), "\x00")
}

// nextOfficial makes a later revision of a schema.
func nextOfficial(schema string) string {
	change := func(old, new string) {
		if !strings.Contains(schema, old) {
			panic("the schema has no " + old)
		}
		schema = strings.Replace(schema, old, new, 1)
	}
	change(`"2026-07-28"`, `"2027-03-15"`)
	schema = strings.ReplaceAll(schema, "HEADER_MISMATCH", "HEADER_CONFLICT")
	change("  | AudioContent\n  | ResourceLink", "  | AudioContent\n  | TableContent\n  | ResourceLink")
	change("  websiteUrl?: string;", `  websiteUrl?: "none" | string;`)
	change("  | ListToolsRequest;", "  | ListToolsRequest\n  | CountTokensRequest;")
	change("  | ListToolsResult\n  | InputRequiredResult;", "  | ListToolsResult\n  | CountTokensResult\n  | InputRequiredResult;")
	schema = regexp.MustCompile(`(?s)/\*\*(?:[^*]|\*[^/])*\*/\nexport interface ModelHint \{.*?\n\}\n`).ReplaceAllString(schema, "")
	schema = regexp.MustCompile(`  /\*\*(?:[^*]|\*[^/])*\*/\n  hints\?: ModelHint\[\];\n`).ReplaceAllString(schema, "")
	before, icon, _ := strings.Cut(schema, "export interface Icon {")
	schema = before + "export interface Icon {" + strings.Replace(icon, "  mimeType?: string;", "  mimeType: string;", 1)
	return schema + `
/** Rows. */
export interface TableContent {
  /** The kind. */
  type: "table";
  /** The cells. */
  rows: string[][];
}

/** Text to count. */
export interface CountTokensRequestParams extends RequestParams {
  /** The text. */
  text: string;
}

/** Counts tokens. */
export interface CountTokensRequest extends JSONRPCRequest {
  /** The method. */
  method: "tokens/count";
  /** The parameters. */
  params: CountTokensRequestParams;
}

/** How many there are. */
export interface CountTokensResult extends Result {
  /** The number. */
  tokens: number;
}

/** The response. */
export interface CountTokensResultResponse extends JSONRPCResultResponse {
  /** The result. */
  result: CountTokensResult;
}
`
}

// copyModule copies the files of this module that git knows.
func copyModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range tracked(t) {
		if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeType != 0 {
			continue // deleted, or no file
		}
		writeIn(t, dir, name, read(t, name))
	}
	return dir
}

func writeIn(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
}

func readIn(t *testing.T, dir, name string) string {
	t.Helper()
	return read(t, filepath.Join(dir, filepath.FromSlash(name)))
}

// addAfter adds a line after the one that has a text.
func addAfter(t *testing.T, dir, name, text, line string) {
	t.Helper()
	before, after, found := strings.Cut(readIn(t, dir, name), text)
	rest, after, _ := strings.Cut(after, "\n")
	if !found {
		t.Fatalf("%s has no line with %s", name, text)
	}
	writeIn(t, dir, name, before+text+rest+"\n"+line+"\n"+after)
}

func run(t *testing.T, dir, command string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "MCPGEN_FULL=") // or the test would run in the copy, too
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	t.Logf("%s: %v, %v of the processors", command, time.Since(begun).Round(time.Second), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Second))
}
