//go:build js && wasm

// Wasm is the generator of tools as the playground loads it. It finds the packages that files can import in mcpgenPackages,
// and defines the function mcpgen, which takes a question as JSON and returns the answer as JSON.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall/js"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/site/playground"
)

// packages imports packages of the bundle.
type packages struct {
	bundle fs.FS
	fset   *token.FileSet
	read   map[string]*types.Package
}

// Import implements [types.Importer].
func (p *packages) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if known := p.read[path]; known != nil && known.Complete() {
		return known, nil
	}
	f, err := p.bundle.Open("types/" + path)
	if err != nil {
		return nil, errors.New("the playground does not have this package")
	}
	defer f.Close()
	return gcexportdata.Read(f, p.fset, p.read, path)
}

// read returns the packages that the page has loaded: an archive with export data in types and with sources in src.
func read() (*playground.Packages, error) {
	zipped := js.Global().Get("mcpgenPackages")
	text := make([]byte, zipped.Length())
	js.CopyBytesToGo(text, zipped)
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	sources, err := fs.Sub(z, "src")
	if err != nil {
		return nil, err
	}
	version := strings.Join(strings.SplitN(runtime.Version(), ".", 3)[:2], ".")
	fset := token.NewFileSet()
	return &playground.Packages{Importer: &packages{z, fset, map[string]*types.Package{}}, Fset: fset, Sources: sources, Go: version}, nil
}

func main() {
	p, err := read()
	if err != nil {
		panic(err)
	}
	debug.SetGCPercent(400) // an answer takes little memory, and should take little time
	js.Global().Set("mcpgen", js.FuncOf(func(_ js.Value, arguments []js.Value) any { return answer(p, arguments[0].String()) }))
	select {} // until the page is gone
}

func answer(p *playground.Packages, question string) (answer string) {
	defer func() {
		if fault := recover(); fault != nil { // the page lives on
			answer = encode(&playground.Answer{Problems: []playground.Problem{{Text: fmt.Sprint("mcpgen has failed: ", fault)}}})
		}
	}()
	var q playground.Question
	if err := json.Unmarshal([]byte(question), &q); err != nil {
		panic(err) // the page writes them
	}
	return encode(p.Answer(&q))
}

func encode(a *playground.Answer) string {
	b, err := json.Marshal(a)
	if err != nil {
		panic(err) // schemas are JSON
	}
	return string(b)
}
