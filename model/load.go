package model

import (
	"path"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// Load parses the file at the slash-separated path name and every file that it imports from or re-exports, directly
// or not. The named file comes first. Packages maps the names of packages to the files that have what is imported
// from them; nil if there are none.
func Load(name string, read func(name string) ([]byte, error), packages map[string]string) ([]*parser.File, error) {
	var files []*parser.File
	seen := map[string]bool{}
	var load func(name string) error
	load = func(name string) error {
		if seen[name] {
			return nil
		}
		seen[name] = true
		path := name
		if pkg, ok := strings.CutPrefix(name, packagePrefix); ok {
			path = packages[pkg]
		}
		src, err := read(path)
		if err != nil {
			return err
		}
		f, err := parser.Parse(name, src)
		if err != nil {
			return err
		}
		files = append(files, f)
		follow := func(pos parser.Pos, from string) error {
			if isPackage(from) && packages[from] == "" {
				return errorAt(f, pos, "cannot import %q: it is a package, not a file such as \"./schema.js\": say which Go package has its types, by -import %[1]s=GO/IMPORT/PATH", from)
			}
			if err := load(resolve(name, from)); err != nil {
				if _, ok := err.(parser.ErrorList); ok {
					return err // a mistake in the other file stands for itself
				}
				return errorAt(f, pos, "cannot import %q: %v", from, err)
			}
			return nil
		}
		for _, i := range f.Imports {
			if err := follow(i.Pos, i.From); err != nil {
				return err
			}
		}
		for _, e := range f.Exports {
			if e.From == "" {
				continue
			}
			if err := follow(e.Pos, e.From); err != nil {
				return err
			}
		}
		return nil
	}
	if err := load(name); err != nil {
		return nil, err
	}
	return files, nil
}

// packagePrefix begins the name of the file that is used for a package.
const packagePrefix = "package:"

// isPackage reports whether a module specifier names a package.
func isPackage(from string) bool {
	return !strings.HasPrefix(from, "./") && !strings.HasPrefix(from, "../")
}

// resolve finds the file that a module specifier names, as TypeScript does for relative ones.
func resolve(importer, from string) string {
	if isPackage(from) {
		return packagePrefix + from
	}
	p := path.Join(path.Dir(importer), from)
	switch ext := path.Ext(p); ext {
	case ".js":
		p = strings.TrimSuffix(p, ext) + ".ts"
	case ".ts":
	default:
		p += ".ts"
	}
	return p
}
