package analyze

import (
	"bytes"
	"encoding/base64"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

func TestIconFiles(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"small.png": []byte("png"), "upper.JPG": []byte("jpg"), "plain.xyz": []byte("xyz"),
		"most.gif": bytes.Repeat([]byte{1}, maxIcon), "large.gif": bytes.Repeat([]byte{1}, maxIcon+1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for icon, want := range map[string]string{
		"small.png":                 "data:image/png;base64,cG5n",
		"upper.JPG":                 "data:image/jpeg;base64,anBn",
		"plain.xyz":                 "its name does not say what image it is; want one of png, jpg, svg, webp or gif, or mime=",
		"plain.xyz mime=image/bmp":  "data:image/bmp;base64,eHl6",
		"small.png theme=red":       "theme=red: want light or dark",
		"none.png":                  "there is no such file in the folder of the package",
		"../" + filepath.Base(dir):  "want a file in the folder of the package, or below it",
		"large.gif":                 "it has 65537 bytes, want at most 65536, since each list repeats it; a URL of https may lead to more",
		"https://example.com/x.gif": "https://example.com/x.gif",
		"most.gif":                  "data:image/gif;base64," + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, maxIcon)),
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, filepath.Join(dir, "a.go"), "//mcp:icon "+icon+"\npackage p\n", parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		a := &analyzer{pkg: &source.Package{Sources: source.NewFiles(fset, nil, nil)}, problems: new(directive.Problems)}
		x := a.extras(a.pkg.Sources.Scan(f).Notes[f])
		switch {
		case len(*a.problems) == 1 && len(x.Icons) == 0 && strings.HasSuffix((*a.problems)[0].Msg, ": "+want):
		case len(*a.problems) == 0 && len(x.Icons) == 1 && x.Icons[0].Src == want:
		default:
			t.Errorf("%s: got %+v and %v, want %s", icon, x.Icons, *a.problems, want)
		}
	}
}
