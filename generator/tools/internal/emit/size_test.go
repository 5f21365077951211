package emit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// maxSize is how many bytes a stdio server of generated tools may have, stripped.
const maxSize = 6 << 20

// TestStandalone checks what a stdio server of generated tools links: nothing but the standard library
// and this module, and no HTTP.
func TestStandalone(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the compiler, which -short does without")
	}
	m := newModule(t)
	for _, name := range []string{"special", "collections", "structs"} {
		a, err := txtar.ParseFile("testdata/cases/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		m.write(t, name+"/"+name+".go", string(a.Files[0].Data))
	}
	m.write(t, "main.go", `package main

import (
	"context"
	"log"

	"example.com/cases/collections"
	"example.com/cases/special"
	"example.com/cases/structs"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
)

func main() {
	s, err := collections.Make()
	if err != nil {
		log.Fatal(err)
	}
	if err := special.Register(s); err != nil {
		log.Fatal(err)
	}
	if err := structs.Register(s); err != nil {
		log.Fatal(err)
	}
	t, err := stdio.Server(nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Serve(context.Background(), t); err != nil {
		log.Fatal(err)
	}
}
`)
	m.generate(t, tools.Runtime)
	for dep := range strings.Lines(m.run(t, nil, "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")) {
		dep = strings.TrimSpace(dep)
		if dep != "" && !strings.HasPrefix(dep, "example.com/cases") && !strings.HasPrefix(dep, "github.com/mcpgen/mcpgen/") {
			t.Errorf("a server of generated tools needs %s", dep)
		}
	}
	if strings.Contains(m.run(t, nil, "go", "list", "-deps", "."), "net/http\n") {
		t.Error("a stdio server of generated tools needs net/http")
	}
	if !testenv.Full() { // to optimize takes time
		return
	}
	m.run(t, nil, "go", "build", "-ldflags=-s -w", "-o", "server.exe", ".")
	info, err := os.Stat(filepath.Join(m.dir, "server.exe"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, stripped", info.Size())
	if info.Size() > maxSize {
		t.Errorf("a stdio server of generated tools has %d bytes, more than %d", info.Size(), maxSize)
	}
}
