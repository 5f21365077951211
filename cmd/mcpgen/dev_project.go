package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
)

// How long programs have after they were told to end.
const (
	serverTime = 3 * time.Second // a server lets its calls end for two
	goTime     = 5 * time.Second
)

// A devProject is the program in a package.
type devProject struct {
	pattern string
	args    []string // of the program
	temp    string   // where programs are built
	stderr  io.Writer
	logger  *slog.Logger
	step    func(string) // called with the step that a build begins

	packages []listedPackage // of the same module
	pages    []string        // what the pages of the last build were made of
	built    int
}

// A listedPackage is what the go command says about a package.
type listedPackage struct {
	Dir, ImportPath, Name string
	DepOnly               bool
	EmbedFiles            []string
	Module                *struct {
		Main       bool
		Dir, GoMod string
	}
}

// Sources implements dev.Project.
func (p *devProject) Sources(ctx context.Context) (s dev.Sources, err error) {
	cmd := goDev(ctx, "list", "-e", "-deps", "-json=Dir,ImportPath,Name,DepOnly,EmbedFiles,Module", "--", p.pattern)
	out, err := outputOf(cmd)
	if err != nil {
		return s, err
	}
	p.packages = nil
	seen := map[string]bool{}
	var program []listedPackage
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var pkg listedPackage
		if err := d.Decode(&pkg); err != nil {
			return s, err
		}
		if !pkg.DepOnly {
			program = append(program, pkg)
		}
		if pkg.Module == nil || !pkg.Module.Main || pkg.Dir == "" {
			continue
		}
		p.packages = append(p.packages, pkg)
		for _, dir := range []string{pkg.Dir, filepath.Dir(pkg.Module.GoMod)} {
			if !seen[dir] {
				seen[dir] = true
				s.Folders = append(s.Folders, dir)
			}
		}
		for _, file := range pkg.EmbedFiles {
			s.Files = append(s.Files, filepath.Join(pkg.Dir, file))
		}
		s.Files = append(s.Files, pageFiles(pkg.Dir)...)
	}
	s.Files = append(s.Files, p.pages...)
	switch {
	case len(program) != 1:
		return s, fmt.Errorf("want one package, got %d for %q", len(program), p.pattern)
	case program[0].Dir == "":
		return s, fmt.Errorf("there is no package %q in this module", p.pattern)
	case program[0].Name != "main" && program[0].Name != "": // without a name, the compiler says more
		return s, fmt.Errorf("%s is package %s, want the package main of a server", p.pattern, program[0].Name)
	}
	return s, nil
}

// Build implements dev.Project.
func (p *devProject) Build(ctx context.Context) (dev.Build, error) {
	p.step("generating")
	verdict, err := p.generate(ctx)
	if err != nil {
		return nil, err
	}
	p.step("building")
	p.built++
	b := &devBuild{project: p, path: filepath.Join(p.temp, fmt.Sprintf("server-%d", p.built)), verdict: verdict}
	if runtime.GOOS == "windows" {
		b.path += ".exe"
	}
	if _, err := outputOf(goDev(ctx, "build", "-buildvcs=false", "-o", b.path, "--", p.pattern)); err != nil {
		return nil, err
	}
	if b.sum, err = sumOf(b.path); err != nil {
		return nil, err
	}
	return b, nil
}

// appFile finds the pages that directives name.
var appFile = regexp.MustCompile(`(?m)^//mcp:app\s.*?file=([^\s"` + "`" + `]+)`)

// pageFiles returns the files in the folders of a package's pages, also of those that have mistakes.
func pageFiles(dir string) (files []string) {
	for _, name := range goFiles(dir) {
		text, _ := os.ReadFile(name) // a build says why it cannot be read
		for _, m := range appFile.FindAllSubmatch(text, -1) {
			folder := filepath.Join(dir, filepath.FromSlash(string(m[1])))
			if info, err := os.Stat(folder); err != nil || !info.IsDir() {
				folder = filepath.Dir(folder)
			}
			entries, _ := os.ReadDir(folder)
			for _, e := range entries {
				if e.Type().IsRegular() && filepath.Ext(e.Name()) != ".go" {
					files = append(files, filepath.Join(folder, e.Name()))
				}
			}
		}
	}
	return files
}

// goFiles returns the Go files in a folder.
func goFiles(dir string) (files []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".go" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// generate does what mcpgen tools does for the packages with directives, and returns what has changed in the
// contracts.
func (p *devProject) generate(ctx context.Context) (verdict string, err error) {
	var patterns []string
	for _, pkg := range p.packages {
		if hasDirectives(pkg.Dir) {
			patterns = append(patterns, pkg.ImportPath)
		}
	}
	if len(patterns) == 0 {
		return "", nil
	}
	pkgs, err := loadTools(ctx, "", patterns)
	if err != nil {
		return "", err
	}
	var changes []output.Change
	verdict = "callers are safe"
	p.pages = nil
	for _, pkg := range pkgs {
		p.pages = append(p.pages, pkg.PageSources()...)
		stale, review, err := pkg.outdated("")
		if err != nil {
			return "", err
		}
		changes = append(changes, stale...)
		if review.Broken {
			verdict = "callers break: " + kept(review) + " ('mcpgen check' says how)"
		}
	}
	return verdict, output.Apply(changes)
}

// A devBuild is a program that is built.
type devBuild struct {
	project *devProject
	path    string
	sum     [sha256.Size]byte
	verdict string
}

// Same implements dev.Build.
func (b *devBuild) Same(other dev.Build) bool {
	o, ok := other.(*devBuild)
	return ok && o.sum == b.sum
}

// Start implements dev.Build.
func (b *devBuild) Start(ctx context.Context) (transport.Transport, error) {
	c := &stdio.Command{
		Path:     b.path,
		Args:     b.project.args,
		Stderr:   b.project.stderr,
		ExitTime: serverTime,
	}
	c.Logger = b.project.logger
	return c.Start(ctx)
}

// Verdict implements dev.Build.
func (b *devBuild) Verdict() string { return b.verdict }

// Discard implements dev.Build.
func (b *devBuild) Discard() { os.Remove(b.path) } // what is left is removed with the folder

// goDev returns a run of the go command, which an interrupt ends.
func goDev(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	if runtime.GOOS != "windows" { // where a process cannot be interrupted
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	}
	cmd.WaitDelay = goTime
	return cmd
}

// outputOf runs a command. If it fails, the error is what it printed to standard error.
func outputOf(cmd *exec.Cmd) ([]byte, error) {
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		return nil, errors.New(text)
	}
	return out, err
}

// hasDirectives reports whether a folder has Go files with directives, or code generated from such files.
func hasDirectives(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		name := e.Name()
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if name == tools.GoFile {
			return true
		}
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && bytes.Contains(text, []byte("//mcp:")) {
			return true
		}
	}
	return false
}

// sumOf returns the checksum of a file.
func sumOf(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
