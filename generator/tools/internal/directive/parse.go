package directive

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
)

// A Directive is a directive in the source.
type Directive struct {
	*Spec
	Comment *ast.Comment
	Place   Place  // what it stands above
	Words   []Word // the positional arguments
	Given   []Value
	Free    Word   // the free text, if the Spec has one
	Tag     string // of a field, which says the same; empty of a comment
}

// A Word is a positional argument, or free text.
type Word struct {
	Text string
	Pos  token.Pos
}

// A Value is a flag, or a key with its value.
type Value struct {
	Key  string
	Text string // of a key
	Pos  token.Pos
}

// Pos returns the position of the comment.
func (d *Directive) Pos() token.Pos { return d.Comment.Slash }

// All returns all values of a key that may be given more than once.
func (d *Directive) All(name string) []*Value {
	var all []*Value
	for i := range d.Given {
		if d.Given[i].Key == name {
			all = append(all, &d.Given[i])
		}
	}
	return all
}

// Has reports whether a flag is set.
func (d *Directive) Has(flag string) bool { return d.Get(flag) != nil }

// Get returns a flag or a key, or nil if it is not there.
func (d *Directive) Get(name string) *Value {
	for i := range d.Given {
		if d.Given[i].Key == name {
			return &d.Given[i]
		}
	}
	return nil
}

// String returns the directive with its first argument, as messages cite it: //mcp:param days.
func (d *Directive) String() string {
	if d.Tag != "" {
		return "the tag " + d.Tag + " of"
	}
	s := "//" + Tool + ":" + d.Name
	if len(d.Words) > 0 {
		s += " " + d.Words[0].Text
	}
	if v := d.Get("for"); v != nil {
		s += " for=" + v.Text
	}
	return s
}

// Parse parses a comment in a place. It returns nil for a comment that is not a directive, and for a directive that
// is unknown or in the wrong place. The place is empty for a comment that is attached to nothing; where then says
// what to do about that.
func Parse(c *ast.Comment, place Place, where string) (*Directive, []Problem) {
	raw, _ := ast.ParseDirective(c.Slash, c.Text)
	if raw.Tool != Tool {
		return nil, nearMiss(c)
	}
	spec := Lookup(raw.Name)
	if spec == nil {
		unknown := Problem{Pos: c.Slash, Msg: fmt.Sprintf("//mcp:%s: there is no such directive%s", raw.Name, orKnown(raw.Name, names()))}
		if near := spelling.Nearest(raw.Name, names()); near != "" {
			unknown.Old, unknown.New = "//mcp:"+raw.Name, "//mcp:"+near
		}
		return nil, []Problem{unknown}
	}
	if !spec.In(place) {
		return nil, []Problem{{Pos: c.Slash, Msg: fmt.Sprintf("//mcp:%s belongs above %s; %s", spec.Name, spec.WherePlaces(), where)}}
	}
	d := &Directive{Spec: spec, Comment: c, Place: place}
	p := &parser{d: d, place: place}
	p.parse(raw)
	return d, p.problems
}

// orKnown suggests the nearest of some names, or else lists them all.
func orKnown(name string, known []string) string {
	if s := spelling.DidYouMean(name, known); s != "" {
		return s
	}
	return "; there are " + strings.Join(known, ", ")
}

// A parser reads the arguments of one directive.
type parser struct {
	d        *Directive
	place    Place
	problems Problems
}

func (p *parser) problemf(pos token.Pos, format string, args ...any) {
	p.problems.Addf(pos, "%s: %s", p.d, fmt.Sprintf(format, args...))
}

// parse reads the arguments of the directive: only free text, or first the positional arguments, then flags and keys,
// and last a text in braces. It stops at a mistake in quotes, since what follows cannot be split.
func (p *parser) parse(raw ast.Directive) {
	spec := p.d.Spec
	if spec.Text != "" && (len(spec.Keys) == 0 || strings.HasPrefix(raw.Args, "{")) {
		if raw.Args == "" {
			p.problemf(raw.Slash, "the text is missing, as in %s", spec.Example)
		}
		p.d.Free = Word{raw.Args, raw.ArgsPos}
		return
	}
	if spec.Text != "" {
		raw = p.cutText(raw)
	}
	if m := quotedValue.FindStringSubmatchIndex(raw.Args); m != nil {
		old := raw.Args[m[2]:m[1]]
		quote := old[len(old)-1:]
		p.problemf(raw.ArgsPos+token.Pos(m[2]), "quotes go around the whole argument: %s", quote+strings.Replace(old, quote, "", 1))
		p.problems.Suggest(old, quote+strings.Replace(old, quote, "", 1))
		return
	}
	args, err := raw.ParseArgs()
	if err != nil {
		p.problemf(raw.ArgsPos, `a quoted argument is "key=some text", with Go's escapes, between blanks`)
		return
	}
	for _, arg := range spec.Args {
		if arg.Only != "" && arg.Only != p.place {
			continue
		}
		if len(args) == 0 || p.isOption(args[0].Arg) {
			p.problemf(raw.Slash, "%s is missing: %s, as in %s", arg.Name, arg.Meaning, spec.Example)
			break
		}
		p.d.Words = append(p.d.Words, Word{args[0].Arg, args[0].Pos})
		args = args[1:]
	}
	for _, arg := range args {
		p.option(arg)
	}
	for _, f := range spec.Flags {
		if other := p.d.Get(f.Excludes); other != nil && p.d.Has(f.Name) {
			p.problemf(other.Pos, "%s contradicts %s; one of them must go", f.Name, f.Excludes)
		}
	}
}

// cutText takes a text in braces off the end of a directive.
func (p *parser) cutText(raw ast.Directive) ast.Directive {
	i := strings.Index(raw.Args, " {")
	if i < 0 || strings.Count(raw.Args[:i], `"`)%2 == 1 {
		return raw
	}
	p.d.Free = Word{raw.Args[i+1:], raw.ArgsPos + token.Pos(i+1)}
	raw.Args = strings.TrimRight(raw.Args[:i], " \t")
	return raw
}

// quotedValue finds a value in quotes, key="some text", which Go's directives do not support.
var quotedValue = regexp.MustCompile("(?:^|\\s)([a-z.]+=(?:\"[^\"]*\"|`[^`]*`))")

// isOption reports whether an argument is a flag or a key of the directive, rather than the positional argument
// that is expected. A URI may contain =, too.
func (p *parser) isOption(arg string) bool {
	name, _, isKey := strings.Cut(arg, "=")
	_, base := CutParts(name)
	return isKey && p.d.Spec.key(base) != nil
}

// option reads a flag or a key with its value.
func (p *parser) option(arg ast.DirectiveArg) {
	name, text, isKey := strings.Cut(arg.Arg, "=")
	spec := p.d.Spec
	of, base := CutParts(name)
	flag, key := spec.flag(base), spec.key(base)
	switch {
	case !utf8.ValidString(text):
		p.problemf(arg.Pos, "%s is no UTF-8", name)
		return
	case flag == nil && key == nil:
		p.unknown(arg, name, isKey)
		return
	case isKey && key == nil:
		p.problemf(arg.Pos, "%s is a flag and takes no value; write %s alone", name, name)
		return
	case !isKey && flag == nil:
		p.problemf(arg.Pos, "%s wants a value: %s=%s, %s", name, name, key.Value, key.Meaning)
		return
	case of != "" && !(flag != nil && flag.Parts || key != nil && key.Parts):
		p.problemf(arg.Pos, "%s is about a whole parameter or field, not about %s", base, of)
		return
	case p.d.Get(name) != nil && (key == nil || !key.Repeat):
		p.problemf(arg.Pos, "%s is given twice", name)
		return
	case isKey && key.Only != "" && key.Only != p.place:
		advice := "here it has no meaning"
		if p.place == Field && name == "name" {
			advice = "the json tag names a field"
		}
		p.problemf(arg.Pos, "%s is for %s; %s", name, key.Only, advice)
		return
	}
	p.d.Given = append(p.d.Given, Value{name, text, arg.Pos})
}

// unknown reports an argument that is no flag and no key of the directive. A text is suggested in its place only if it
// is not in quotes: then it begins at its position.
func (p *parser) unknown(arg ast.DirectiveArg, name string, isKey bool) {
	spec := p.d.Spec
	switch {
	case len(spec.options()) == 0:
		p.problemf(arg.Pos, "%q is one argument too many; write %s", arg.Arg, spec.Example)
	case isKey || identifier(name):
		known := spec.options()
		if of, _ := CutParts(name); of != "" {
			known = spec.partOptions(of)
		}
		p.problemf(arg.Pos, "there is no %s%s", name, orKnown(name, known))
		if near := spelling.Nearest(name, known); near != "" && !p.quoted(arg) {
			p.problems.Suggest(name, near)
		}
	default:
		p.problemf(arg.Pos, "%q is neither a flag nor key=value; a value with blanks is written \"key=some text\"", arg.Arg)
	}
}

// quoted reports whether an argument is in quotes, so that its text does not begin at its position.
func (p *parser) quoted(arg ast.DirectiveArg) bool {
	c := p.d.Comment.Text[arg.Pos-p.d.Comment.Slash]
	return c == '"' || c == '`'
}

func identifier(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
}

// Split returns the values of a list, which are separated by commas. A comma that belongs to a value is written \,
// as is a backslash \\.
func Split(list string) []string {
	var out []string
	var b strings.Builder
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\' && i+1 < len(list) && (list[i+1] == ',' || list[i+1] == '\\'):
			i++
			b.WriteByte(list[i])
		case c == ',':
			out = append(out, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(out, b.String())
}

// Join is the opposite of Split.
func Join(values []string) string {
	escape := strings.NewReplacer(`,`, `\,`, `\`, `\\`)
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = escape.Replace(v)
	}
	return strings.Join(out, ",")
}

// nearMiss finds comments that were meant as directives.
func nearMiss(c *ast.Comment) []Problem {
	body, line := strings.CutPrefix(c.Text, "//")
	marks := " \t+"
	if !line {
		body = strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/")
		marks = " \t\n*/"
	}
	trimmed := strings.TrimLeft(body, marks)
	if trimmed == body {
		trimmed = strings.TrimPrefix(trimmed, "/") // with one more, it is a directive that somebody has put out of use
	}
	tool, rest, ok := strings.Cut(trimmed, ":")
	if !ok {
		return nil
	}
	tool = strings.TrimRight(tool, " \t")
	isTool := strings.EqualFold(tool, Tool)
	if !isTool && !slices.Contains([]string{"mpc", "mcpp", "mmcp", "mcpgen", "mcp-gen"}, strings.ToLower(tool)) {
		return nil
	}
	word := strings.TrimLeft(rest, " \t")
	if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); end >= 0 {
		word = word[:end]
	}
	name := word
	if Lookup(word) == nil {
		// A word that is near to a directive is meant as one only where the comment looks like one:
		// prose has blanks around the word.
		if !isTool || !line || strings.HasPrefix(rest, " ") && body != trimmed {
			return nil
		}
		if name = spelling.Nearest(word, names()); name == "" {
			if body != trimmed || !utf8.ValidString(word) {
				return nil // a sentence about mcp: something
			}
			return []Problem{{Pos: c.Slash, Msg: fmt.Sprintf("//%s:%s: there is no such directive%s", tool, word, orKnown(word, names()))}}
		}
	}
	p := Problem{Pos: c.Slash, Msg: fmt.Sprintf("this is a comment, not a directive; did you mean //%s:%s?", Tool, name)}
	if line {
		p.Old, p.New = c.Text[:strings.Index(c.Text, word)+len(word)], "//"+Tool+":"+name
	}
	return []Problem{p}
}

// Visible returns a text on one line, as messages cite it.
func Visible(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
