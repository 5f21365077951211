package site

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// importable are the packages that files in the playground can import.
var importable = strings.Fields(`
	bufio bytes cmp context crypto/rand crypto/sha256 database/sql embed encoding encoding/base64 encoding/csv encoding/hex encoding/json
	encoding/xml errors fmt html io io/fs iter log log/slog maps math math/big math/rand/v2 net net/http net/netip net/url os os/exec path
	path/filepath reflect regexp slices sort strconv strings sync sync/atomic text/template time unicode unicode/utf8
	github.com/mcpgen/mcpgen/mcp github.com/mcpgen/mcpgen/mcp/ui github.com/mcpgen/mcpgen/runtime/apps github.com/mcpgen/mcpgen/runtime/args
	github.com/mcpgen/mcpgen/runtime/args/jsonschema github.com/mcpgen/mcpgen/runtime/config github.com/mcpgen/mcpgen/runtime/limit github.com/mcpgen/mcpgen/runtime/server
	github.com/mcpgen/mcpgen/runtime/server/ask github.com/mcpgen/mcpgen/runtime/server/typed github.com/mcpgen/mcpgen/runtime/server/uritemplate
	github.com/mcpgen/mcpgen/runtime/toolsearch github.com/mcpgen/mcpgen/runtime/transport github.com/mcpgen/mcpgen/runtime/wire`)

// described are the packages among them whose types may be those of arguments and results, so that their doc comments matter.
var described = []string{"time", "log/slog", "github.com/mcpgen/mcpgen/mcp"}

// bundle returns the packages that files can import, as the program in playground/wasm reads them: their types below types,
// sources below src.
func bundle(ctx context.Context, root string) ([]byte, error) {
	out, err := goCommand(ctx, root, []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"},
		append([]string{"list", "-deps", "-export", "-trimpath", "-json=ImportPath,Export,Dir,GoFiles"}, importable...)...)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name string, text []byte) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}) // the program is compressed as a whole
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Export, Dir string
			GoFiles                 []string
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !slices.Contains(described, p.ImportPath) {
			continue
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err == nil {
				err = add("src/"+p.ImportPath+"/"+name, text)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	// The files of the compiler have code, too, which can be inlined. Without it they are a quarter.
	fset := token.NewFileSet()
	compiled := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, path := range importable {
		var types bytes.Buffer
		p, err := compiled.Import(path)
		if err == nil {
			err = gcexportdata.Write(&types, fset, p)
		}
		if err == nil {
			err = add("types/"+path, types.Bytes())
		}
		if err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return b.Bytes(), err
}

// goCommand runs a go command in a folder, with more variables of the environment, and returns what it prints.
func goCommand(ctx context.Context, dir string, more []string, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", arguments...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), more...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", arguments[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out, nil
}

// buildPlayground adds the scripts of the playground to the files of the site: the generator of tools, compiled to WebAssembly,
// and what the Go tree has to run it. The program is a script, too, since a page of a file may not read other files.
func buildPlayground(ctx context.Context, files map[string][]byte, root string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	packages, err := bundle(ctx, root)
	if err != nil {
		return err
	}
	program := filepath.Join(dir, "mcpgen.wasm")
	if _, err := goCommand(ctx, root, []string{"GOOS=js", "GOARCH=wasm"},
		"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", program, "./cmd/mcpgen/internal/site/playground/wasm"); err != nil {
		return err
	}
	wasm, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var script bytes.Buffer
	for _, part := range []struct {
		name    string
		content []byte
	}{{"program", wasm}, {"packages", packages}} {
		text, err := zipBase64(part.content)
		if err != nil {
			return err
		}
		fmt.Fprintf(&script, "const %s = %q;\n", part.name, text)
	}
	files["playground/mcpgen.js"] = script.Bytes()
	goroot, err := goCommand(ctx, root, nil, "env", "GOROOT")
	if err != nil {
		return err
	}
	files["playground/wasm_exec.js"], err = os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	return err
}

// zipBase64 returns the content in gzip and Base64, for a script.
func zipBase64(content []byte) (string, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err = w.Write(content); err == nil {
		err = w.Close()
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), err
}
