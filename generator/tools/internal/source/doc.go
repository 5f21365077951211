package source

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
)

// printer writes doc comments as text whose paragraphs are one line each: a reader that is a model
// has no terminal.
var printer = comment.Printer{TextWidth: -1}

// text returns a comment as text, without directives.
func text(g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	return render(parse(g.Text()))
}

// parse parses a doc comment. Everything that looks like a link to an exported name counts as one, wherever it
// leads, and loses its brackets.
func parse(text string) *comment.Doc {
	p := comment.Parser{LookupSym: func(_, name string) bool { return token.IsExported(name) }}
	return p.Parse(text)
}

func render(d *comment.Doc) string {
	return strings.TrimSpace(string(printer.Text(d)))
}

// A Doc is the doc comment of a function.
type Doc struct {
	Text     string              // without the name of the function, and the list items about parameters
	About    map[string]string   // the descriptions in these items, by parameter
	Problems []directive.Problem // items that are about no parameter, or about one that another is about
}

// FunctionDoc reads the doc comment of a function. A list item is about the parameter that it begins with: "days: how
// many". Items about injected parameters are left doc.
func FunctionDoc(g *ast.CommentGroup, name string, params, injected []string) Doc {
	doc := Doc{About: make(map[string]string)}
	if g == nil {
		return doc
	}
	d := parse(indentItems(g.Text(), params))
	lists := 0
	for _, b := range d.Content {
		if _, ok := b.(*comment.List); ok {
			lists++
		}
	}
	var content []comment.Block
	for _, b := range d.Content {
		list, ok := b.(*comment.List)
		if !ok {
			content = append(content, b)
			continue
		}
		rest := doc.parameterList(list, g, params, injected, lists == 1)
		switch {
		case len(rest) > 0:
			list.Items = rest
			content = append(content, list)
		case len(content) > 0:
			content = withoutLeadIn(content)
		}
	}
	d.Content = content
	doc.Text = withoutName(render(d), name)
	return doc
}

// withoutLeadIn removes a paragraph, or its last line, that only announces a list that has been removed, such as
// "Its arguments:".
func withoutLeadIn(content []comment.Block) []comment.Block {
	p, ok := content[len(content)-1].(*comment.Paragraph)
	if !ok || len(p.Text) == 0 {
		return content
	}
	last, ok := p.Text[len(p.Text)-1].(comment.Plain)
	if !ok || !strings.HasSuffix(string(last), ":") {
		return content
	}
	if t := render(&comment.Doc{Content: []comment.Block{p}}); !strings.Contains(t, ". ") {
		if len(content) == 1 && strings.Contains(t, " ") {
			return content // it is all that is said
		}
		return content[:len(content)-1]
	}
	before, _, ok := cutLast(string(last), "\n")
	if !ok || !strings.HasSuffix(before, ".") {
		return content
	}
	shorter := *p
	shorter.Text = append(slices.Clone(p.Text[:len(p.Text)-1]), comment.Plain(before))
	return append(content[:len(content)-1:len(content)-1], &shorter)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// parameterList takes the items about parameters out of a list and returns the others. An item whose name is nearly
// that of a parameter is a mistake if the list has items about parameters, or is the only list.
func (doc *Doc) parameterList(list *comment.List, g *ast.CommentGroup, params, injected []string, only bool) []*comment.ListItem {
	var rest, unknown []*comment.ListItem
	found := false
	for _, item := range list.Items {
		name, description, ok := strings.Cut(render(&comment.Doc{Content: item.Content}), ":")
		switch {
		case !ok:
			rest = append(rest, item)
		case slices.Contains(params, name):
			found = true
			if _, twice := doc.About[name]; twice {
				doc.Problems = append(doc.Problems, directive.Problem{Pos: itemPos(g, name, true), Msg: fmt.Sprintf("the doc comment describes %s twice", name)})
			}
			doc.About[name] = strings.TrimSpace(description)
		case slices.Contains(injected, name):
		default:
			rest = append(rest, item)
			unknown = append(unknown, item)
		}
	}
	for _, item := range unknown {
		name, _, _ := strings.Cut(render(&comment.Doc{Content: item.Content}), ":")
		if near := spelling.Nearest(name, params); near != "" && doc.About[near] == "" && token.IsIdentifier(name) && (found || only && (len(name) > 2 || strings.EqualFold(name, near))) {
			doc.Problems = append(doc.Problems, directive.Problem{
				Pos: itemPos(g, name, false), Old: name, New: near,
				Msg: fmt.Sprintf("the doc comment describes %s, which is no parameter; did you mean %s?", name, near),
			})
		}
	}
	return rest
}

// itemPos returns the position of the first item about a name, or the last.
func itemPos(g *ast.CommentGroup, name string, last bool) token.Pos {
	pos := g.Pos()
	for _, c := range g.List {
		text := strings.TrimLeft(c.Text, "/ \t-*")
		if strings.HasPrefix(text, name+":") {
			pos = c.Pos() + token.Pos(len(c.Text)-len(text))
			if !last {
				break
			}
		}
	}
	return pos
}

// indentItems indents lines such as "- days: how many", with those that continue them, because
// Go's doc comments have lists only where lines are indented.
func indentItems(doc string, params []string) string {
	lines := strings.Split(doc, "\n")
	inItem := false
	for i, line := range lines {
		marked := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ")
		name, _, ok := strings.Cut(strings.TrimLeft(line, "-* "), ":")
		switch {
		case marked && ok && (slices.Contains(params, name) || token.IsIdentifier(name) && spelling.Nearest(name, params) != ""):
			inItem = true
			lines[i] = "  " + line
		case marked || strings.TrimSpace(line) == "":
			inItem = false
		case inItem && line[0] != ' ' && line[0] != '\t':
			lines[i] = "    " + line
		}
	}
	return strings.Join(lines, "\n")
}

// Doc returns the description of a type, field or constant: that of a directive, or the doc comment, or the comment behind
// the declaration.
func (s *Files) Doc(o types.Object) string {
	node, f := s.Declared(o)
	if node == nil {
		return ""
	}
	for _, d := range f.Notes[node] {
		if d.Name == "desc" {
			return d.Free.Text
		}
	}
	if _, ok := o.(*types.TypeName); ok {
		return withoutTypeName(text(f.docs[node]), o.Name())
	}
	return withoutName(text(f.docs[node]), o.Name())
}

// Notes returns the directives of a type or field.
func (s *Files) Notes(o types.Object) []*directive.Directive {
	node, f := s.Declared(o)
	if node == nil {
		return nil
	}
	return f.Notes[node]
}
