package client_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

var casesFlag = flag.Int("cases", 0, "how many calls are made with random arguments, of all tools; 0: some hundred, of a few tools")

// corpus returns the contract of the tools in testdata/corpus, all of them or those of one file.
func corpus(t testing.TB, name string) *client.Contract {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/" + name + ".json")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	all := &client.Contract{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := readContract(t, text)
		all.Tools = append(all.Tools, c.Tools...)
		all.Prompts = append(all.Prompts, c.Prompts...)
		all.ResourceTemplates = append(all.ResourceTemplates, c.ResourceTemplates...)
	}
	return all
}

// TestCorpusCompiles type-checks the client of all tools in testdata/corpus.
func TestCorpusCompiles(t *testing.T) {
	out, err := client.Generate(corpus(t, "*"), client.Options{Package: "example"})
	if err != nil {
		t.Fatal(err)
	}
	compile(t, out.Source)
	if len(out.Mistakes)+len(out.LeftOut) > 0 {
		t.Errorf("got the mistakes %v and %v", out.Mistakes, out.LeftOut)
	}
	for _, u := range out.Untyped {
		t.Logf("%s %s: %s", u.Tool, u.Pointer, u.Why)
	}
	if len(out.Untyped) > 10 {
		t.Errorf("%d parts have no type, which were 10", len(out.Untyped))
	}
}

// TestCorpus generates a client for tools in testdata/corpus, vets it, and runs the tests in testdata/roundtrip.
func TestCorpus(t *testing.T) {
	if *casesFlag == 0 {
		testenv.Long(t)
	}
	family, cases := "home", 300
	if *casesFlag > 0 {
		family, cases = "*", *casesFlag
	}
	out, err := client.Generate(corpus(t, family), client.Options{Package: "roundtrip"})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("testdata/roundtrip")
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	write := func(name string, v any) string {
		text, ok := v.([]byte)
		if !ok {
			if text, err = json.Marshal(v); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join(temp, name)
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	source := write("client.go", out.Source)
	overlay := write("overlay.json", map[string]map[string]string{"Replace": {filepath.Join(dir, "client_gen.go"): source}})
	names := write("names.json", out.Names)
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		text = text[:min(len(text), 10_000)]
		if err != nil {
			t.Fatalf("go %s: %v\n%s", args[0], err, text)
		}
		t.Logf("go %s: %s", args[0], text)
	}
	run("vet", "-overlay", overlay, ".")
	run("test", "-overlay", overlay, "-vet=off", "-count=1", "-v", ".", "-corpus", family, "-cases", strconv.Itoa(cases), "-names", names)
}
