package analyze

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/page"
	"github.com/mcpgen/mcpgen/runtime/apps/csp"
)

// app reads by which page hosts show calls of a tool, and who may call it.
func (a *analyzer) app(f *function, t *ir.Tool) {
	i := slices.IndexFunc(f.notes, func(d *directive.Directive) bool { return d.Name == "app" })
	if i < 0 {
		return
	}
	d := f.notes[i]
	var meta struct {
		URI        string   `json:"resourceUri,omitempty"`
		Visibility []string `json:"visibility,omitempty"`
	}
	if v := d.Get("visibility"); v != nil {
		meta.Visibility = a.among(d, v, "model", "app")
		t.OnlyApps = !slices.Contains(meta.Visibility, "model")
	}
	if v := d.Get("file"); v != nil {
		if t.Page = a.page(d, v); t.Page == nil {
			return
		}
		meta.URI = t.Page.URI
	} else if says(d, "visibility") || !t.OnlyApps {
		a.problems.Addf(d.Pos(), "%s: want file=, the page, as in %s; only a tool for apps alone, visibility=app, may have none", d, d.Example)
		return
	}
	for _, m := range t.Meta {
		if m.Key == "ui" || m.Key == "ui/resourceUri" {
			a.problems.Addf(d.Pos(), "%s: //mcp:meta says the same by %q; leave it out there", d, m.Key)
			return
		}
	}
	t.Meta = append(t.Meta, ir.Meta{Key: "ui", JSON: jsonOf(meta)})
	if meta.URI != "" {
		t.Meta = append(t.Meta, ir.Meta{Key: "ui/resourceUri", JSON: jsonOf(meta.URI)}) // which some hosts know alone
	}
	slices.SortFunc(t.Meta, func(x, y ir.Meta) int { return cmp.Compare(x.Key, y.Key) })
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts have no errors
	}
	return string(text)
}

// says reports whether a directive has other keys than these.
func says(d *directive.Directive, but ...string) bool {
	return slices.ContainsFunc(d.Given, func(v directive.Value) bool { return !slices.Contains(but, v.Key) })
}

// among returns a list of words, each of which is one of some.
func (a *analyzer) among(d *directive.Directive, v *directive.Value, some ...string) []string {
	list := directive.Split(v.Text)
	for i, word := range list {
		if !slices.Contains(some, word) || slices.Contains(list[:i], word) {
			a.problems.Addf(v.Pos, "%s: %s=%s: want %s, each once", d, v.Key, directive.Visible(v.Text), directive.Or(some))
			return nil
		}
	}
	return list
}

// page returns the page that a directive names, nil if something is wrong with it.
func (a *analyzer) page(d *directive.Directive, file *directive.Value) *ir.Page {
	read, err := page.Read(filepath.Dir(a.pkg.Position(d.Pos()).Filename), file.Text)
	if err != nil {
		a.problems.Addf(file.Pos, "%s: file=%s: %v", d, directive.Visible(file.Text), err)
		return nil
	}
	p := &ir.Page{File: read.File, HTML: read.HTML, Sources: read.Sources, Pos: a.pkg.Position(d.Pos())}
	p.Name = strings.TrimSuffix(path.Base(p.File), path.Ext(p.File))
	if dir := path.Dir(p.File); p.Name == "index" && dir != "." {
		p.Name = path.Base(dir)
	}
	p.URI = "ui://" + a.host() + "/" + url.PathEscape(p.Name)
	ok := true
	problem := func(v *directive.Value, text string) {
		ok = false
		a.problems.Addf(v.Pos, "%s: %s=%s: %s", d, v.Key, directive.Visible(v.Text), text)
	}
	if v := d.Get("uri"); v != nil {
		usual := p.URI
		p.URI = v.Text
		if u, err := url.Parse(v.Text); err != nil || u.Scheme != "ui" || u.Host == "" {
			problem(v, "want a URI that begins with ui://, such as "+usual)
		}
	}
	for key, list := range map[string]*[]string{"csp.connect": &p.Connect, "csp.resource": &p.Resource, "csp.frame": &p.Frame} {
		if v := d.Get(key); v != nil {
			*list = directive.Split(v.Text)
			for _, origin := range *list {
				if err := csp.Check(origin); err != nil {
					problem(v, err.Error())
					break
				}
			}
		}
	}
	if v := d.Get("permissions"); v != nil {
		p.Permissions = a.among(d, v, "camera", "microphone", "geolocation", "clipboard-write")
		ok = ok && p.Permissions != nil
	}
	if v := d.Get("border"); v != nil {
		p.Border = new(v.Text == "true")
		if v.Text != "true" && v.Text != "false" {
			problem(v, "want true or false")
		}
	}
	if !ok {
		return nil
	}
	for _, other := range a.out.Pages {
		if other.URI == p.URI {
			return a.samePage(d, other, p)
		}
	}
	a.out.Pages = append(a.out.Pages, p)
	a.needs = append(a.needs, need{d, p, read.Needs})
	return p
}

// host returns what the URIs of pages begin with: the name of the package, or what its path ends with if that says nothing.
func (a *analyzer) host() string {
	name := a.pkg.Types.Name()
	if last := path.Base(a.pkg.Types.Path()); name == "main" && plain.MatchString(last) {
		return last
	}
	return name
}

var plain = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// samePage returns a page that another tool has, too.
func (a *analyzer) samePage(d *directive.Directive, first, p *ir.Page) *ir.Page {
	switch {
	case first.File != p.File:
		a.problems.Addf(d.Pos(), "%s: %s is the page %s already; uri= gives it another", d, first.URI, first.File)
		return nil
	case says(d, "file", "uri", "visibility"):
		a.problems.Addf(d.Pos(), "%s: say what the page needs at line %d of %s, which has it, too", d, first.Pos.Line, filepath.Base(first.Pos.Filename))
		return nil
	}
	return first
}

// A need is what a page refers to on other origins.
type need struct {
	d    *directive.Directive
	page *ir.Page
	from []page.Need
}

// pages brings the pages in order, and compares what they refer to with the origins that hosts will allow.
func (a *analyzer) pages() {
	for _, n := range a.needs {
		for _, from := range n.from {
			key, list := "csp.resource", n.page.Resource
			if from.Frame {
				key, list = "csp.frame", n.page.Frame
			}
			if !slices.ContainsFunc(list, func(allowed string) bool { return covers(allowed, from.Origin) }) {
				a.problems.Addf(n.d.Pos(), "%s: %s is from %s, where hosts let nothing be loaded from; add %s=%[3]s", n.d, from.By, from.Origin, key)
			}
		}
	}
	slices.SortFunc(a.out.Pages, func(x, y *ir.Page) int { return cmp.Compare(x.URI, y.URI) })
}

// covers reports whether an origin of a policy, which may begin with *., covers another one.
func covers(allowed, origin string) bool {
	scheme, host, _ := strings.Cut(allowed, "://")
	if domain, ok := strings.CutPrefix(host, "*"); ok {
		rest, same := strings.CutPrefix(origin, scheme+"://")
		return same && strings.HasSuffix(rest, domain)
	}
	return allowed == origin
}
