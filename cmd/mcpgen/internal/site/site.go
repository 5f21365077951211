// Package site writes the documentation of this repository as a static site, which needs no server.
package site

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/mcpgen/mcpgen/schema"
)

//go:embed assets
var assets embed.FS

//go:embed playground/page.md
var playgroundPage []byte

// A Source is what the site is made of.
type Source struct {
	Root       string                                    // the folder of a checkout, or of the module as a release has it
	Version    string                                    // that of the release; "" for a checkout
	Compare    func(older, newer string) ([]byte, error) // the difference of two revisions, in Markdown
	Playground bool                                      // with the playground, which takes most of the time
}

// Write writes the site to a folder. Files that it has already are replaced; nothing is deleted.
//
// A link of the documentation that leads to nothing is an error, but in a release: that lacks the modules which are of their own.
func Write(ctx context.Context, dir string, from Source) error {
	s, err := read(from)
	if err != nil {
		return err
	}
	return s.write(ctx, dir)
}

// A page is a page of the site.
type page struct {
	file    string // its Markdown, below the root of the repository
	section string // that of docs/README.md which lists it
	source  []byte
	made    bool // the repository does not have it

	doc      ast.Node
	title    string
	about    string // its first paragraph
	headings []heading
	links    []*link
}

// name returns the name of the page's files in the site, but for what they end in.
func (p *page) name() string {
	dir, base := path.Split(strings.TrimSuffix(p.file, ".md"))
	if base == "README" {
		base = "index"
	}
	return dir + base
}

var sentence = regexp.MustCompile(`^.*?[.?!]( |$)`)

// sentence returns the first sentence of the page.
func (p *page) sentence() string {
	if s := sentence.FindString(p.about); s != "" {
		return strings.TrimSpace(s)
	}
	return strings.TrimSuffix(p.about, ":") + "."
}

// A site is what is written.
type site struct {
	Source
	repository string // its address
	pages      []*page
	playground *page // one of them, or nil
}

// read reads all pages in order: README.md, docs/README.md, the playground if there is to be one, the pages that docs/README.md
// lists, one for each two revisions that follow each other, and those of mistakes.
func read(from Source) (*site, error) {
	module, err := os.ReadFile(filepath.Join(from.Root, "go.mod"))
	if err != nil {
		return nil, err
	}
	path, _, _ := strings.Cut(strings.TrimPrefix(string(module), "module "), "\n")
	s := &site{Source: from, repository: "https://" + path}
	if err := errors.Join(s.add("README.md", ""), s.add("docs/README.md", "")); err != nil {
		return nil, err
	}
	if from.Playground {
		source := bytes.ReplaceAll(playgroundPage, []byte("](../../../../../"), []byte("](")) // its page is at the root
		s.playground = parse(&page{file: "playground.md", source: source, made: true})
		s.pages = append(s.pages, s.playground)
	}
	if err := s.addListed(s.pages[1]); err != nil {
		return nil, err
	}
	revisions := schema.Revisions()
	for i := range revisions[1:] {
		older, newer := revisions[i].Name, revisions[i+1].Name
		report, err := from.Compare(older, newer)
		if err != nil {
			return nil, err
		}
		_, report, _ = bytes.Cut(report, []byte("\n")) // without the heading, which is that of the page
		report = bytes.ReplaceAll(report, []byte("\n### "), []byte("\n## "))
		source := fmt.Appendf(nil, "# %[1]s to %[2]s\n\nEvery difference of the two schemas, and whom it breaks: what `mcpgen diff %[1]s %[2]s` prints. "+
			"[What each revision changed](../docs/revisions.md) says what the revisions were about.\n%[3]s", older, newer, report)
		s.pages = append(s.pages, parse(&page{file: "revisions/" + older + "-" + newer + ".md", section: "Differences of revisions", source: source, made: true}))
	}
	if err := s.addMistakes(); err != nil {
		return nil, err
	}
	return s, s.resolve()
}

// page returns the page of a file, or nil.
func (s *site) page(file string) *page {
	for _, p := range s.pages {
		if p.file == file {
			return p
		}
	}
	return nil
}

// add adds the page of a file.
func (s *site) add(file, section string) error {
	source, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(file)))
	if err == nil {
		s.pages = append(s.pages, parse(&page{file: file, section: section, source: source}))
	}
	return err
}

// addListed adds the pages that a page lists. All that are in its folder must be listed.
func (s *site) addListed(list *page) error {
	section := ""
	ast.Walk(list.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			section = text(n, list.source)
		case *ast.Link:
			to := string(n.Destination)
			if file := path.Join("docs", to); path.Ext(to) == ".md" && fs.ValidPath(file) && s.page(file) == nil {
				_ = s.add(file, section) // a link that leads to nothing is found later
			}
		}
		return ast.WalkContinue, nil
	})
	files, err := fs.Glob(os.DirFS(s.Root), "docs/*.md")
	for _, file := range files {
		if s.page(file) == nil {
			err = errors.Join(err, fmt.Errorf("%s does not list %s", list.file, file))
		}
	}
	return err
}

// write writes the site to a folder.
func (s *site) write(ctx context.Context, dir string) error {
	files := map[string][]byte{}
	own, err := assets.ReadDir("assets")
	if err != nil {
		return err
	}
	for _, a := range own {
		if files[a.Name()], err = assets.ReadFile("assets/" + a.Name()); err != nil {
			return err
		}
	}
	t, err := template.New("page").Parse(string(files["page.html"]))
	if err != nil {
		return err
	}
	delete(files, "page.html")
	if s.playground == nil {
		delete(files, "program.js")
		delete(files, "playground.js")
	} else if err := buildPlayground(ctx, files, s.Root); err != nil {
		return err
	}
	app := files["playground.html"]
	delete(files, "playground.html")
	var index []entry
	var full [][]byte
	for i, p := range s.pages {
		if files[p.name()+".html"], err = s.layOut(t, i, app); err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
		files[p.name()+".md"] = p.markdown(path.Dir(p.name()))
		full = append(full, p.markdown("."))
		index = append(index, p.entry())
		for _, l := range p.links {
			if l.image == "" {
				continue
			}
			if files[l.image], err = os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(l.image))); err != nil {
				return err
			}
		}
	}
	encoded, err := json.Marshal(index)
	if err != nil {
		return err
	}
	files["pages.js"] = fmt.Appendf(nil, "const pages = %s;\n", encoded)
	files["llms.txt"] = s.llms()
	files["llms-full.txt"] = bytes.Join(full, []byte("\n---\n\n"))
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// What the template of a page is given. Addresses are relative to the page.
type (
	layout struct {
		Title, About, Root, Repository string
		Markdown                       string
		Source                         string // in the repository, if it is there
		Sections                       []section
		Headings                       []heading
		Text                           template.HTML
		Playground                     template.HTML // of that page alone, which may run WebAssembly
		Previous, Next                 *item
	}
	section struct {
		Title string
		Items []item
	}
	item struct {
		Title, Href string
		Current     bool
	}
)

// layOut returns the HTML of a page. App is what the playground has behind its text.
func (s *site) layOut(t *template.Template, i int, app []byte) ([]byte, error) {
	pages, p := s.pages, s.pages[i]
	from := path.Dir(p.name())
	show := func(i int) *item {
		if i < 0 || i == len(pages) {
			return nil
		}
		return &item{pages[i].title, relative(from, pages[i].name()+".html"), pages[i] == p}
	}
	text, err := p.html()
	if err != nil {
		return nil, err
	}
	l := layout{
		Title: p.title, About: p.sentence(), Root: strings.Repeat("../", strings.Count(p.name(), "/")), Repository: s.repository,
		Markdown: path.Base(p.name()) + ".md", Text: template.HTML(text), Previous: show(i - 1), Next: show(i + 1),
	}
	if p == s.playground {
		l.Playground = template.HTML(app)
	}
	if !p.made {
		l.Source = s.at("blob", p.file)
	}
	for j, other := range pages {
		if j == 0 || other.section != pages[j-1].section {
			l.Sections = append(l.Sections, section{Title: other.section})
		}
		last := &l.Sections[len(l.Sections)-1]
		last.Items = append(last.Items, *show(j))
	}
	for _, h := range p.headings {
		if h.Level == 2 || h.Level == 3 {
			l.Headings = append(l.Headings, h)
		}
	}
	var b bytes.Buffer
	err = t.Execute(&b, l)
	return b.Bytes(), err
}

// llms returns the text of llms.txt (llmstxt.org).
func (s *site) llms() []byte {
	pages := s.pages
	b := fmt.Appendf(nil, "# %s\n\n> %s\n", pages[0].title, pages[0].about)
	for i, p := range pages {
		if i == 0 || p.section != pages[i-1].section {
			title := p.section
			if title == "" {
				title = "Begin"
			}
			b = fmt.Appendf(b, "\n## %s\n\n", title)
		}
		b = fmt.Appendf(b, "- [%s](%s.md): %s\n", p.title, p.name(), p.sentence())
	}
	return b
}

// at returns the address of a file (blob) or folder (tree) in the repository.
func (s *site) at(kind, file string) string {
	return s.repository + "/" + kind + "/" + cmp.Or(s.Version, "HEAD") + "/" + file
}

// resolve finds out where the links of all pages lead.
func (s *site) resolve() error {
	var problems []error
	for _, p := range s.pages {
		for _, l := range p.links {
			if err := s.follow(p, l); err != nil {
				line := 1 + bytes.Count(p.source[:l.start], []byte("\n"))
				problems = append(problems, fmt.Errorf("%s:%d: %w", p.file, line, err))
			}
		}
	}
	return errors.Join(problems...)
}

// follow finds out where a link of a page leads: to one of the pages, to a file of the repository, or elsewhere.
func (s *site) follow(p *page, l *link) error {
	if strings.Contains(l.dest, ":") {
		l.url = l.dest
		return nil
	}
	if !l.inline {
		return fmt.Errorf("want a link of the form [text](%s)", l.dest)
	}
	to, anchor, _ := strings.Cut(l.dest, "#")
	l.anchor = anchor
	file := p.file
	if to != "" {
		file = path.Join(path.Dir(p.file), to)
	}
	l.page = s.page(file)
	target := l.page
	if target == nil {
		if !fs.ValidPath(file) {
			return fmt.Errorf("%s is outside of the repository", l.dest)
		}
		name := filepath.Join(s.Root, filepath.FromSlash(file))
		info, err := os.Stat(name)
		_, isImage := l.node.(*ast.Image)
		switch {
		case err != nil && s.Version == "":
			return fmt.Errorf("there is no %s", l.dest)
		case err != nil: // in a module of its own
			l.url = s.at("tree", file)
			return nil
		case isImage:
			l.image = file
		case info.IsDir():
			l.url = s.at("tree", file)
		default:
			l.url = s.at("blob", file)
		}
		if anchor == "" || path.Ext(file) != ".md" {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		target = parse(&page{file: file, source: source})
	}
	if anchor != "" && !slices.ContainsFunc(target.headings, func(h heading) bool { return h.ID == anchor }) {
		return fmt.Errorf("%s has no heading #%s", file, anchor)
	}
	return nil
}
