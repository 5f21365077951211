package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/schema"
)

// ofExtension reads the schema of the extension, nil if none is named. The extension imports the package of all
// revisions, so revisions cannot be chosen.
func (in *inputs) ofExtension() (schema.Extension, *model.Schema, error) {
	if in.extension == "" {
		if len(in.imports) > 0 {
			return schema.Extension{}, nil, errors.New("-import goes with -extension NAME=FILE: only the schema of an extension imports the protocol")
		}
		return schema.Extension{}, nil, nil
	}
	if len(in.revisions)+len(in.files) > 0 {
		return schema.Extension{}, nil, errors.New("-extension goes with neither -revision nor -schema: an extension builds on all revisions that mcpgen has")
	}
	name, file, given := strings.Cut(in.extension, "=")
	x, err := schema.ExtensionNamed(name)
	if given && strings.Contains(name, "/") {
		x, err = extensionWith(name), nil
	}
	if err != nil {
		return x, nil, err
	}
	if !given {
		return x, must(extensionSchema(x)), nil
	}
	packages := map[string]string{}
	for _, i := range in.imports {
		from, _, _ := strings.Cut(i, "=")
		packages[from] = protocolFile
	}
	if _, err := in.basePackage(); err != nil {
		return x, nil, err
	}
	files, err := model.Load(filepath.ToSlash(file), func(name string) ([]byte, error) {
		if name == protocolFile {
			return schema.Source(x.Revision)
		}
		if of := path.Base(path.Dir(name)); path.Base(name) == schema.FileName && hasRevision(of) {
			x.Revision = of
		}
		return os.ReadFile(filepath.FromSlash(name))
	}, packages)
	if err != nil {
		return x, nil, err
	}
	s, err := model.Lower(x.Revision, files...)
	return x, s, err
}

// hasRevision reports whether mcpgen has the schema of a revision.
func hasRevision(name string) bool {
	return slices.ContainsFunc(schema.Revisions(), func(r schema.Revision) bool { return r.Name == name })
}

// protocolFile is the name, which is not that of a file, of the schema that is used for a package.
const protocolFile = "mcpgen:" + schema.FileName

// extensionWith returns the extension with an identifier. An extension that mcpgen does not know belongs to the
// newest revision, unless its schema imports that of another one by its file.
func extensionWith(id string) schema.Extension {
	all := schema.Extensions()
	if i := slices.IndexFunc(all, func(x schema.Extension) bool { return x.ID == id }); i >= 0 {
		return all[i]
	}
	revisions := schema.Revisions()
	return schema.Extension{Name: id[strings.LastIndexByte(id, '/')+1:], ID: id, Revision: revisions[len(revisions)-1].Name}
}

// basePackage returns the Go package that has the types of the protocol.
func (in *inputs) basePackage() (string, error) {
	base := ""
	for _, i := range in.imports {
		from, path, ok := strings.Cut(i, "=")
		switch {
		case !ok || from == "" || path == "" || strings.ContainsAny(path, " \t\"\\"):
			return "", fmt.Errorf("-import %s: want FROM=GO/IMPORT/PATH, such as @modelcontextprotocol/client=%s", i, basePath)
		case base != "" && base != path:
			return "", fmt.Errorf("-import %s: the types of the protocol are in one Go package, and %s was given for others", i, base)
		}
		base = path
	}
	if base == "" {
		return basePath, nil
	}
	return base, nil
}

// extensionSchema reads the schema that mcpgen itself has of an extension.
func extensionSchema(x schema.Extension) (*model.Schema, error) {
	const folder = "schema/"
	return readSchema(x.Revision, folder+x.Path(), func(name string) ([]byte, error) {
		return schema.Files().ReadFile(strings.TrimPrefix(name, folder))
	}, nil)
}
