package main

import (
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

// A transcription is a schema that mcpgen has: of a revision, or of an extension.
type transcription struct {
	name     string // "2026-07-28", "ui"
	of       string // "revision 2026-07-28", "extension ui"
	path     string // among schema.Files
	official string
	header   string
	imports  bool // the protocol, and official files do so from elsewhere
}

// transcriptions returns all schemas that mcpgen has: those of revisions, then those of extensions.
func transcriptions() []transcription {
	var all []transcription
	for _, r := range schema.Revisions() {
		all = append(all, transcription{
			name: r.Name, of: "revision " + r.Name, path: r.Name + "/" + schema.FileName, official: r.Official, header: schema.Header(r.Name),
		})
	}
	for _, x := range schema.Extensions() {
		all = append(all, transcription{
			name: x.Name, of: "extension " + x.Name, path: x.Path(), official: x.Official, header: x.Header(), imports: true,
		})
	}
	return all
}

// called returns the transcription of that name alone, or all of them if there is none.
func called(name string) (candidates []transcription, found bool) {
	all := transcriptions()
	for i, t := range all {
		if t.name == name {
			return all[i : i+1], true
		}
	}
	return all, false
}

// known lists the names of all transcriptions.
func known() string {
	var names []string
	for _, t := range transcriptions() {
		names = append(names, t.name)
	}
	return strings.Join(names, ", ")
}

// splitName splits FILE@NAME. Without @, the name is that of the file's folder, and given is false.
func splitName(arg string) (file, name string, given bool, err error) {
	base := filepath.Base(arg)
	if at := strings.LastIndexByte(base, '@'); at >= 0 {
		return arg[:len(arg)-len(base)+at], base[at+1:], true, nil
	}
	abs, err := filepath.Abs(arg)
	return arg, filepath.Base(filepath.Dir(abs)), false, err
}

// parse reads the transcription. Its imports are resolved like those of the file that it will be compared with.
func (t transcription) parse(with *parser.File) *parser.File {
	f := must(parser.Parse("schema/"+t.path, must(schema.Files().ReadFile(t.path))))
	if t.imports && len(f.Imports) == len(with.Imports) {
		for i := range f.Imports {
			f.Imports[i].From = with.Imports[i].From
		}
	}
	return f
}

// nearestTo returns the transcription that differs least from a file, and the difference. It considers only
// extensions if the file imports something, and otherwise only revisions.
func nearestTo(f *parser.File, candidates []transcription) (nearest transcription, diff string) {
	form := parser.Format(f)
	for _, t := range candidates {
		if len(candidates) > 1 && t.imports != (len(f.Imports) > 0) {
			continue
		}
		own := t.parse(f)
		d := udiff.Unified(own.Name, f.Name, parser.Format(own), form)
		if nearest.name == "" || len(d) < len(diff) {
			nearest, diff = t, d
		}
	}
	return nearest, diff
}
