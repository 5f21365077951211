//go:build !js

package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundle returns the code of a script or a style sheet with all that it imports. A module may wait at its top.
func (r *reader) bundle(name string, module bool) (script, style string, err error) {
	if _, err := r.read(name); err != nil {
		return "", "", r.errorf("%w", err)
	}
	format := api.FormatIIFE
	if module {
		format = api.FormatESModule
	}
	dir, err := filepath.Abs(r.dir)
	if err != nil {
		return "", "", err
	}
	built := api.Build(api.BuildOptions{
		AbsWorkingDir: dir,
		EntryPoints:   []string{filepath.Join(dir, filepath.FromSlash(name))},
		Outdir:        filepath.Join(dir, "out"), // where nothing is written
		Bundle:        true,
		Metafile:      true,
		Format:        format,
		Platform:      api.PlatformBrowser,
		Target:        api.ES2022,
		Charset:       api.CharsetUTF8,
		Define:        map[string]string{"process.env.NODE_ENV": `"production"`},
		LegalComments: api.LegalCommentsInline,
		LogLevel:      api.LogLevelSilent,
		Loader:        loaders,
		// Without that, comments would name files, as they lie on this machine.
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
	})
	if len(built.Errors) > 0 {
		var all []error
		for _, m := range built.Errors[:min(len(built.Errors), 5)] {
			at := name
			if m.Location != nil {
				at = fmt.Sprintf("%s:%d:%d", filepath.ToSlash(m.Location.File), m.Location.Line, m.Location.Column+1)
			}
			all = append(all, fmt.Errorf("%s: %s", at, m.Text))
		}
		return "", "", errors.Join(all...)
	}
	var meta struct{ Inputs map[string]struct{} }
	if err := json.Unmarshal([]byte(built.Metafile), &meta); err != nil {
		return "", "", err
	}
	for _, input := range slices.Sorted(maps.Keys(meta.Inputs)) {
		if !strings.HasPrefix(input, "<") && !strings.HasPrefix(input, "data:") {
			r.page.Sources = append(r.page.Sources, filepath.Join(dir, filepath.FromSlash(input)))
		}
	}
	for _, f := range built.OutputFiles {
		text := strings.TrimSuffix(string(f.Contents), "\n")
		if filepath.Ext(f.Path) == ".css" {
			style += text
		} else {
			script += text
		}
	}
	return script, style, nil
}

// loaders say how files are read that are neither scripts nor style sheets.
var loaders = map[string]api.Loader{
	".png": api.LoaderDataURL, ".jpg": api.LoaderDataURL, ".jpeg": api.LoaderDataURL, ".svg": api.LoaderDataURL, ".webp": api.LoaderDataURL,
	".gif": api.LoaderDataURL, ".woff2": api.LoaderDataURL, ".txt": api.LoaderText, ".html": api.LoaderText,
}
