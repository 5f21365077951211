package model

import (
	"fmt"
	"path"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// Load parses the file at the slash-separated path name and every file that it imports from or
// re-exports, directly or not. The named file comes first.
func Load(name string, read func(name string) ([]byte, error)) ([]*parser.File, error) {
	var files []*parser.File
	seen := map[string]bool{}
	var load func(name string) error
	load = func(name string) error {
		if seen[name] {
			return nil
		}
		seen[name] = true
		src, err := read(name)
		if err != nil {
			return err
		}
		f, err := parser.Parse(name, src)
		if err != nil {
			return err
		}
		files = append(files, f)
		follow := func(pos parser.Pos, from string) error {
			target, err := resolve(name, from)
			if err == nil {
				err = load(target)
			}
			if err != nil {
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

// resolve finds the file that a module specifier means, as TypeScript does for relative ones.
func resolve(importer, from string) (string, error) {
	if !strings.HasPrefix(from, "./") && !strings.HasPrefix(from, "../") {
		return "", fmt.Errorf(`only relative modules such as "./schema.js" can be read`)
	}
	p := path.Join(path.Dir(importer), from)
	switch ext := path.Ext(p); ext {
	case ".js":
		p = strings.TrimSuffix(p, ext) + ".ts"
	case ".ts":
	default:
		p += ".ts"
	}
	return p, nil
}
