// Package page reads HTML pages that become part of a program. A page that needs no other files of its folder is used as it
// is. In any other, the scripts, style sheets and images of its folder become part of it: scripts and style sheets by esbuild,
// with whatever they import, TypeScript included.
package page

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// MaxBytes is how many bytes a page may have, and so the largest of its files.
const MaxBytes = 2 << 20

// A Page is a page as hosts get it.
type Page struct {
	File    string // below the folder of the package, with slashes
	HTML    []byte // with the other files in it; nil if it needs none
	Sources []string
	Needs   []Need
}

// A Need is something from elsewhere that a page loads.
type Need struct {
	Origin, By string // By is the element, with its place
	Frame      bool   // it is a document in a frame
}

// Read reads the page in a file, or in the index.html of a folder, named with slashes below dir. Errors name the file and, where
// there is one, the line.
func Read(dir, name string) (*Page, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, errors.New("want a file in the folder of the package, or below it")
	}
	p := &reader{dir: dir, page: &Page{File: path.Clean(name)}}
	if info, err := os.Stat(p.path(p.page.File)); err == nil && info.IsDir() {
		p.page.File = path.Join(p.page.File, "index.html")
	}
	text, err := p.read(p.page.File)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: want UTF-8", p.page.File)
	}
	if err := p.scan(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))); err != nil {
		return nil, err
	}
	if p.out.Len() > MaxBytes {
		return nil, fmt.Errorf("%s: want at most %d bytes with all that belongs to it, got %d", p.page.File, MaxBytes, p.out.Len())
	}
	if p.changed {
		p.page.HTML = p.out.Bytes()
	}
	slices.Sort(p.page.Sources)
	p.page.Sources = slices.Compact(p.page.Sources)
	return p.page, nil
}

// A reader reads one page.
type reader struct {
	dir     string
	page    *Page
	out     bytes.Buffer
	changed bool // out is not what the file has
	line    int
}

// path returns the path of a file on this system.
func (r *reader) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

// read reads a file that belongs to the page.
func (r *reader) read(name string) ([]byte, error) {
	r.page.Sources = append(r.page.Sources, r.path(name))
	info, err := os.Stat(r.path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file %s in the folder of the package", name)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", name)
	case info.Size() > MaxBytes:
		return nil, fmt.Errorf("%s: want at most %d bytes, got %d", name, MaxBytes, info.Size())
	}
	return os.ReadFile(r.path(name))
}

// errorf returns an error about the tag that is looked at.
func (r *reader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", r.page.File, r.line, fmt.Errorf(format, args...))
}

// scan copies the document to out, with what it refers to.
func (r *reader) scan(text []byte) error {
	z := html.NewTokenizer(bytes.NewReader(text))
	r.line = 1
	document, next := false, 1
	for {
		kind := z.Next()
		raw := bytes.Clone(z.Raw()) // which what follows may change
		r.line, next = next, next+bytes.Count(raw, []byte("\n"))
		switch kind {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				return r.errorf("%w", err)
			}
			if !document {
				return fmt.Errorf("%s: want an HTML document, which begins with <!doctype html>", r.page.File)
			}
			r.out.Write(raw)
			return nil
		case html.DoctypeToken:
			document = document || strings.EqualFold(strings.TrimSpace(string(z.Text())), "html")
		case html.StartTagToken, html.SelfClosingTagToken:
			if !document {
				return r.errorf("want <!doctype html> in front of <%s>", z.Token().Data)
			}
			tag := z.Token()
			replaced, err := r.tag(&tag)
			if err != nil {
				return err
			}
			if replaced != "" {
				r.changed = true
				r.out.WriteString(replaced)
				continue
			}
		}
		r.out.Write(raw)
	}
}

// source are the attributes by which elements load something.
var source = map[atom.Atom]string{
	atom.Script: "src", atom.Link: "href", atom.Img: "src", atom.Iframe: "src", atom.Frame: "src", atom.Embed: "src", atom.Object: "data",
	atom.Audio: "src", atom.Video: "src", atom.Source: "src", atom.Track: "src", atom.Input: "src",
}

// tag returns what stands in the page in place of a tag; nothing if the tag may stay.
func (r *reader) tag(t *html.Token) (string, error) {
	if t.DataAtom == atom.Base && attribute(t, "href") != "" {
		return "", r.errorf("<base> changes what all URLs of the page mean; leave it out")
	}
	ref := attribute(t, source[t.DataAtom])
	if ref == "" {
		return "", nil
	}
	if t.DataAtom == atom.Object || t.DataAtom == atom.Embed {
		return "", r.errorf("<%s>: hosts show none", t.Data)
	}
	u, err := url.Parse(ref)
	switch {
	case err != nil:
		return "", r.errorf("<%s>: %w", t.Data, err)
	case u.Scheme == "data" || u.Scheme == "blob" || u.Scheme == "about":
		return "", nil
	case u.Host == "" && u.Scheme != "":
		return "", r.errorf("<%s>: want a URL of https, or a path below the folder of the page, got %s", t.Data, ref)
	case u.Host != "" && u.Scheme == "":
		return "", r.errorf("<%s>: want https: in front of %s", t.Data, ref)
	case u.Host != "":
		if t.DataAtom != atom.Link || loads(t) {
			frame := t.DataAtom == atom.Iframe || t.DataAtom == atom.Frame
			r.page.Needs = append(r.page.Needs, Need{u.Scheme + "://" + u.Host, fmt.Sprintf("%s:%d: <%s>", r.page.File, r.line, t.Data), frame})
		}
		return "", nil
	case strings.HasPrefix(u.Path, "/"):
		return "", r.errorf("<%s>: want a path below the folder of the page, got %s", t.Data, ref)
	}
	name := path.Join(path.Dir(r.page.File), u.Path)
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", r.errorf("<%s>: %s is not in the folder of the package", t.Data, ref)
	}
	switch {
	case t.DataAtom == atom.Script:
		return r.script(t, name)
	case t.DataAtom == atom.Link && slices.Contains(rel(t), "stylesheet"):
		return r.styles(t, name)
	case t.DataAtom == atom.Img || t.DataAtom == atom.Link && slices.Contains(rel(t), "icon"):
		return r.image(t, name)
	}
	return "", r.errorf("<%s>: %s: of its folder, only scripts, style sheets and images become part of a page", t.Data, ref)
}

// script puts a script into its element. What it loads by import of a style sheet stands in front of it.
func (r *reader) script(t *html.Token, name string) (string, error) {
	module := strings.EqualFold(attribute(t, "type"), "module")
	script, style, err := r.bundle(name, module)
	if err != nil {
		return "", err
	}
	deferred := slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "defer" })
	remove(t, "src", "integrity", "crossorigin", "async", "defer")
	if deferred && !module { // which only modules are that stand in the page
		remove(t, "type")
		t.Attr = append(t.Attr, html.Attribute{Key: "type", Val: "module"})
	}
	out := t.String() + script
	if style != "" {
		out = "<style>" + style + "</style>" + out
	}
	return out, nil
}

// styles returns an element with a style sheet.
func (r *reader) styles(t *html.Token, name string) (string, error) {
	_, style, err := r.bundle(name, false)
	if err != nil {
		return "", err
	}
	media := ""
	if m := attribute(t, "media"); m != "" {
		media = ` media="` + html.EscapeString(m) + `"`
	}
	return "<style" + media + ">" + style + "</style>", nil
}

// image puts an image into its element.
func (r *reader) image(t *html.Token, name string) (string, error) {
	data, err := r.read(name)
	if err != nil {
		return "", r.errorf("<%s>: %w", t.Data, err)
	}
	media := ImageType(name)
	if media == "" {
		return "", r.errorf("<%s>: %s: want an image of one of %s", t.Data, name, "png, jpg, svg, webp or gif")
	}
	for i := range t.Attr {
		if t.Attr[i].Key == source[t.DataAtom] {
			t.Attr[i].Val = "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data)
		}
	}
	return t.String(), nil
}

var imageTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml", ".webp": "image/webp", ".gif": "image/gif",
}

// ImageType returns the media type that the extension of an image file stands for, empty if it stands for none.
func ImageType(name string) string { return imageTypes[strings.ToLower(path.Ext(name))] }

func attribute(t *html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name && name != "" {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// rel returns the words that say what a <link> is for.
func rel(t *html.Token) []string { return strings.Fields(strings.ToLower(attribute(t, "rel"))) }

// loads reports whether a browser loads what a <link> leads to.
func loads(t *html.Token) bool {
	return slices.ContainsFunc(rel(t), func(word string) bool {
		return slices.Contains([]string{"stylesheet", "icon", "preload", "modulepreload", "manifest"}, word)
	})
}

func remove(t *html.Token, names ...string) {
	t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool { return slices.Contains(names, a.Key) })
}
