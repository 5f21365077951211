package site

import (
	"bytes"
	"fmt"
	"html"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown is GitHub's Markdown. Alignment is an attribute, since the content policy allows no style in the page.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Strikethrough, extension.Linkify, extension.TaskList,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(noHTML{}, 1))),
)

// noHTML renders HTML as the text that it was meant to be, and comments not at all.
type noHTML struct{}

func (noHTML) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if s := n.(*ast.RawHTML).Segments.Value(source); entering && !bytes.HasPrefix(s, []byte("<!--")) {
			w.WriteString(html.EscapeString(string(s)))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if s := n.Lines().Value(source); entering && !bytes.HasPrefix(s, []byte("<!--")) {
			fmt.Fprintf(w, "<pre><code>%s</code></pre>\n", html.EscapeString(string(s)))
		}
		return ast.WalkSkipChildren, nil
	})
}

// A heading is a heading of a page. Its ID is that of [anchor].
type heading struct {
	Level    int
	ID, Text string
}

// A link is a link or an image in the text of a page. Where it leads is one of url, page and image.
type link struct {
	node   ast.Node
	dest   string // as written
	start  int    // of dest in the source if the link is inline, else of the link
	inline bool

	url    string // elsewhere
	page   *page
	image  string // a file below the root
	anchor string
}

// to returns where the link leads, seen from a folder of the site, whose pages end in ext.
func (l *link) to(from, ext string) string {
	to := l.url
	switch {
	case l.page != nil:
		to = relative(from, l.page.name()+ext)
	case l.image != "":
		to = relative(from, l.image)
	}
	if l.anchor != "" {
		to += "#" + l.anchor
	}
	return to
}

// relative returns a path of the site, seen from one of its folders.
func relative(from, to string) string {
	rel, err := filepath.Rel(filepath.FromSlash(from), filepath.FromSlash(to))
	if err != nil {
		panic(err) // both are relative to the site
	}
	return filepath.ToSlash(rel)
}

// parse parses the source of a page, and returns the page.
func parse(p *page) *page {
	p.doc = markdown.Parser().Parse(gmtext.NewReader(p.source))
	var contents ast.Node
	ids := map[string]int{}
	ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			h := heading{n.Level, "", text(n, p.source)}
			h.ID = anchor(h.Text, ids)
			n.SetAttributeString("id", []byte(h.ID))
			p.headings = append(p.headings, h)
			if n.Level == 1 && p.title == "" {
				p.title = h.Text
			}
		case *ast.Paragraph:
			if p.about == "" {
				p.about = text(n, p.source)
			}
		case *ast.Link:
			p.links = append(p.links, p.find(n, string(n.Destination)))
		case *ast.Image:
			p.links = append(p.links, p.find(n, string(n.Destination)))
		case *ast.List:
			if len(p.headings) == 1 && n.Parent() == p.doc && isContents(n) {
				contents = n
			}
		}
		return ast.WalkContinue, nil
	})
	if contents != nil { // the site makes its own
		p.doc.RemoveChild(p.doc, contents)
	}
	return p
}

// find returns the link of a node, with the place of its destination: after what it shows and "](".
func (p *page) find(n ast.Node, dest string) *link {
	l := &link{node: n, dest: dest, start: max(n.Pos(), 0)}
	shown := l.start
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok {
			shown = t.Segment.Stop
		}
		return ast.WalkContinue, nil
	})
	i := bytes.Index(p.source[shown:], []byte("]("))
	if l.inline = i >= 0 && bytes.HasPrefix(p.source[shown+i+2:], []byte(dest)); l.inline {
		l.start = shown + i + 2
	}
	return l
}

// isContents reports whether a list is one of links to headings of its page, and nothing else.
func isContents(list *ast.List) bool {
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		if item.ChildCount() != 1 || item.FirstChild().ChildCount() != 1 {
			return false
		}
		l, ok := item.FirstChild().FirstChild().(*ast.Link)
		if !ok || !bytes.HasPrefix(l.Destination, []byte("#")) {
			return false
		}
	}
	return true
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor returns the id of a heading, as GitHub makes it. The ids before it are counted.
func anchor(text string, ids map[string]int) string {
	id := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(text), ""), " ", "-")
	n := ids[id]
	ids[id]++
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return id
}

// text returns the text of a node, without blocks of code, on one line.
func text(n ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				s := n.Segment.Value(source)
				if n.Parent().Kind() != ast.KindCodeSpan {
					s = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(s)))
				}
				b.Write(s)
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.Label(source))
			}
		case *ast.RawHTML:
			if entering {
				b.Write(n.Segments.Value(source))
			}
		case *extast.TableCell:
			b.WriteByte(' ')
		default:
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// markdown returns the source of the page with its links seen from a folder of the site.
func (p *page) markdown(from string) []byte {
	var out []byte
	end := 0
	for _, l := range p.links {
		if l.url == l.dest || from == path.Dir(p.name()) && strings.HasPrefix(l.dest, "#") {
			continue
		}
		out = append(append(out, p.source[end:l.start]...), l.to(from, ".md")...)
		end = l.start + len(l.dest)
	}
	return append(out, p.source[end:]...)
}

// html returns the text of the page as HTML. It changes the destinations in the tree.
func (p *page) html() (string, error) {
	for _, l := range p.links {
		if strings.HasPrefix(l.dest, "#") {
			continue
		}
		to := []byte(l.to(path.Dir(p.name()), ".html"))
		switch n := l.node.(type) {
		case *ast.Link:
			n.Destination = to
		case *ast.Image:
			n.Destination = to
		}
	}
	var b bytes.Buffer
	err := markdown.Renderer().Render(&b, p.source, p.doc)
	// In what is rendered, only tags begin with "<". What is empty heads nothing.
	return emptyHead.ReplaceAllString(strings.NewReplacer("<table>", `<div class="table"><table>`, "</table>", "</table></div>").Replace(b.String()), "<td></td>"), err
}

var emptyHead = regexp.MustCompile(`<th( align="\w+")?></th>`)

// An entry is a page in the index of the search.
type entry struct {
	URL      string  `json:"url"`
	Title    string  `json:"title"`
	Weight   float64 `json:"weight"` // guides answer what is asked; other pages have the same words
	Sections []part  `json:"sections"`
}

// A part of a page is what is below a heading.
type part struct {
	ID      string `json:"id,omitzero"`
	Heading string `json:"heading,omitzero"`
	Text    string `json:"text,omitzero"`
}

// entry returns what is searched of the page: its title, headings, and what is not a block of code.
func (p *page) entry() entry {
	parts := []part{{}}
	for n := p.doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		switch {
		case !ok:
			last := &parts[len(parts)-1]
			last.Text = strings.TrimSpace(last.Text + " " + text(n, p.source))
		case h.Level > 1:
			id, _ := h.AttributeString("id")
			parts = append(parts, part{ID: string(id.([]byte)), Heading: text(h, p.source)})
		}
	}
	weight := 1.0
	if p.section != "Guides" {
		weight = 0.75
	}
	return entry{p.name() + ".html", p.title, weight, parts}
}
