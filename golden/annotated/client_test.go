package annotated

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	typed "github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// driver is a program of a typed client: it reads values of the arguments of tools, and writes them again.
const driver = `package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

func again[T any](text []byte) string {
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		return "error: " + err.Error()
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(out)
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		tool, text, _ := bytes.Cut(line, []byte("\t"))
		switch string(tool) {
		case "relabel":
			fmt.Fprintln(out, again[RelabelArgs](text))
		case "echo_settings":
			fmt.Fprintln(out, again[EchoSettingsArgs](text))
		}
	}
}
`

// TestTypedClient reads random arguments with the types of a typed client, and compares what these write with what was read:
// what is absent, null or a value, and scalars of several types, are the same again.
func TestTypedClient(t *testing.T) {
	testenv.Long(t)
	data, err := os.ReadFile("mcp.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := typed.Parse("mcp.lock.json", data)
	if err != nil {
		t.Fatal(err)
	}
	made, err := typed.Generate(lock.Contract, typed.Options{Package: "main"})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(".", "driver") // in this module
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"client.go": string(made.Source), "main.go": driver} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "driver.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./"+dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	r := rand.New(rand.NewPCG(randomSeed(t), 1))
	var in bytes.Buffer
	var sent []string
	for _, tool := range strict {
		if tool.tool.Name != "relabel" && tool.tool.Name != "echo_settings" {
			continue
		}
		input, schema := compile(t, tool.tool.InputSchema)
		s := newSource(r, input, 0)
		for range 100_000 {
			var text bytes.Buffer
			if json.Compact(&text, []byte(s.value(input, 0))) != nil {
				continue
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text.Bytes()))
			if err != nil || schema.Validate(doc) != nil || twice("", text.String()) {
				continue
			}
			fmt.Fprintf(&in, "%s\t%s\n", tool.tool.Name, text.String())
			sent = append(sent, text.String())
		}
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(sent) || len(sent) < 150_000 {
		t.Fatalf("%d values, %d were read", len(sent), len(lines))
	}
	for i, text := range sent {
		var before, after any
		if json.Unmarshal([]byte(text), &before) != nil { // beyond double precision
			continue
		}
		if err := json.Unmarshal([]byte(lines[i]), &after); err != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("%s became %s", text, lines[i])
		}
	}
	t.Logf("%d values", len(sent))
}
