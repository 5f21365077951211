package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/generator/tools/analyzer"
	"github.com/mcpgen/mcpgen/internal/misfit"
)

// isVet reports whether the command line is one by which go vet runs its tool: it asks for the
// version, for the flags, and then has a package checked that a .cfg file describes.
func isVet(args []string) bool {
	if slices.Equal(args, []string{"-V=full"}) || slices.Equal(args, []string{"-flags"}) {
		return true
	}
	first := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	return first >= 0 && first == len(args)-1 && strings.HasSuffix(args[first], ".cfg")
}

// asUnit is the environment variable of a process that checks a package which has a generated file.
const asUnit = "MCPGEN_VET_UNIT"

// vet runs as a tool of go vet, and does not return.
func vet() {
	if files := vetted(os.Args[len(os.Args)-1]); os.Getenv(asUnit) == "" && generatedIn(files) != "" {
		os.Exit(vetGenerated(files))
	}
	unitchecker.Main(analyzer.Analyzer)
}

// vetted returns the Go files that a .cfg file names, nil if they are not to be reported on.
func vetted(config string) []string {
	var c struct {
		GoFiles  []string
		VetxOnly bool
	}
	text, err := os.ReadFile(config)
	if err != nil || json.Unmarshal(text, &c) != nil || c.VetxOnly {
		return nil
	}
	return c.GoFiles
}

// generatedIn returns the generated file among those of a package.
func generatedIn(files []string) string {
	for _, name := range files {
		if filepath.Base(name) == tools.GoFile {
			return name
		}
	}
	return ""
}

// vetGenerated checks a package in another process, since the checker ends with the first mistake of a package that does
// not compile. If that is in the generated file, it says which function the file does not fit.
func vetGenerated(files []string) (code int) {
	c := exec.Command(os.Args[0], os.Args[1:]...)
	c.Env = append(os.Environ(), asUnit+"=1")
	c.Stdout = os.Stdout
	var said bytes.Buffer
	c.Stderr = &said
	err := c.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		code = exit.ExitCode()
		if m := regexp.MustCompile(`(?m)^(?:.*[/\\])?` + regexp.QuoteMeta(tools.GoFile) + `:(\d+):`).FindSubmatch(said.Bytes()); m != nil {
			line, _ := strconv.Atoi(string(m[1]))
			fmt.Fprint(os.Stderr, unfit(files, line))
		}
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Stderr.Write(said.Bytes())
	return code
}

// unfit returns a line that names the function that a line of the generated file does not fit, "" if there is none.
func unfit(files []string, line int) string {
	fset := token.NewFileSet()
	var own []*ast.File
	var generated *ast.File
	for _, name := range files {
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		switch {
		case err != nil:
			return ""
		case name == generatedIn(files):
			generated = f
		default:
			own = append(own, f)
		}
	}
	f := misfit.At(fset, generated, own, line)
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s\n", fset.PositionFor(f.Name.Pos(), false), misfit.Message)
}
