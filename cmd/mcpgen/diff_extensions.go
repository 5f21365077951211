package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/goapi"
	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/model/diff"
	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

// extensionOf returns the extension that an operand names: NAME or FILE@NAME.
func extensionOf(arg string) (x schema.Extension, found bool) {
	if _, name, given, err := splitName(arg); err == nil && given {
		arg = name
	}
	x, err := schema.ExtensionNamed(arg)
	return x, err == nil
}

// compareExtensions compares two schemas of an extension.
func compareExtensions(x schema.Extension, older, newer string) (*schemaPair, error) {
	p := &schemaPair{names: [2]string{older, newer}, goPackage: "mcp/" + x.Name}
	var models [2]*model.Schema
	var apis [2]*goapi.API
	base := must(new(inputs).merged())
	for i, arg := range p.names {
		own, err := readExtension(x, arg)
		if err != nil {
			return nil, err
		}
		if models[i], err = model.MergeExtension(x.ID, base, own); err != nil {
			return nil, err
		}
		files, err := bindings.Generate(models[i], bindings.Options{Package: x.Name, Import: basePath})
		if err != nil {
			return nil, err
		}
		apis[i] = must(goapi.Read(files))
	}
	p.wire = diff.Compare(models[0], models[1])
	p.goCode = goapi.Compare(apis[0], apis[1])
	p.table = schemaMatrix(p.names, models)
	return p, nil
}

// readExtension reads the schema of an extension that an operand names: mcpgen's own, or one in a file.
func readExtension(x schema.Extension, arg string) (*model.Schema, error) {
	if arg == x.Name {
		return extensionSchema(x)
	}
	file, name, given, err := splitName(arg)
	switch {
	case err != nil:
		return nil, err
	case given && name != x.Name, !strings.HasSuffix(file, ".ts"):
		return nil, fmt.Errorf("%s cannot be compared with the extension %s: want a schema of it, FILE.ts or FILE@%[2]s", arg, x.Name)
	}
	return readOfficial(x, filepath.ToSlash(file))
}

// readOfficial reads the schema of an extension in a file. It imports the protocol: official files import it from a
// package, or from a copy beside them, which is missing if the file was downloaded alone.
func readOfficial(x schema.Extension, file string) (*model.Schema, error) {
	src, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		return nil, err
	}
	f, err := parser.Parse(file, src)
	if err != nil {
		return nil, err
	}
	packages := map[string]string{}
	for _, i := range f.Imports {
		packages[i.From] = protocolFile
	}
	return readSchema(x.Revision, file, func(name string) ([]byte, error) {
		src, err := os.ReadFile(filepath.FromSlash(name))
		if name == protocolFile || name != file && errors.Is(err, fs.ErrNotExist) {
			return schema.Source(x.Revision)
		}
		return src, err
	}, packages)
}
