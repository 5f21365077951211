package parser

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Format prints the declarations of a file in a canonical layout, for comparing two schemas: equal
// output means the same imports, exports and declarations, in the same order, with the same members
// and types. It leaves out prose, and of the doc tags keeps those that a machine reads.
// Parsing the output and formatting it again changes nothing.
func Format(f *File) string {
	var p printer
	for _, d := range f.Imports {
		p.printNames("import type", d.Names, d.From)
	}
	for _, d := range f.Exports {
		p.printNames("export type", d.Names, d.From)
	}
	for i, d := range f.Decls {
		if i > 0 || len(f.Imports)+len(f.Exports) > 0 {
			p.print("\n")
		}
		p.printDecl(d)
	}
	return p.String()
}

// formatType prints a type.
func formatType(t Type) string {
	var p printer
	p.printType(t, precUnion)
	return p.String()
}

// A printer writes declarations at an indentation.
type printer struct {
	strings.Builder
	indent int
	flat   bool // objects are printed on one line, as source
}

func (p *printer) print(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// newline begins a line.
func (p *printer) newline() { p.print("\n", strings.Repeat("  ", p.indent)) }

// printNames prints an import or an export of names on one line. From is empty for an export of local names.
func (p *printer) printNames(keyword string, names []ImportName, from string) {
	p.print(keyword, " {")
	for i, n := range names {
		p.separate(i, ",")
		p.print(" ", n.Name)
		if n.Alias != n.Name {
			p.print(" as ", n.Alias)
		}
	}
	p.print(" }")
	if from != "" {
		p.print(" from ", quote(from))
	}
	p.print(";\n")
}

// separate prints a separator before all elements but the first.
func (p *printer) separate(i int, sep string) {
	if i > 0 {
		p.print(sep)
	}
}

// printDecl prints a declaration, without `export`, and ends the line. Each arm of an alias has a line, so that in the
// difference between two schemas a line is about one arm.
func (p *printer) printDecl(d Decl) {
	p.printDoc(d.DeclDoc())
	switch d := d.(type) {
	case *Interface:
		p.print("interface ", d.Name)
		p.printParams(d.Params)
		p.print(" ")
		if len(d.Extends) > 0 {
			p.printBases(d.Extends)
			p.print(" ")
		}
		p.printMembers(d.Members)
	case *Alias:
		p.print("type ", d.Name)
		p.printParams(d.Params)
		p.print(" =")
		if u, ok := d.Type.(*Union); ok {
			p.indent++
			for _, arm := range flattenUnion(nil, u) {
				p.newline()
				p.print("| ")
				p.printArm(arm)
			}
			p.indent--
		} else {
			p.print(" ")
			p.printType(d.Type, precUnion)
		}
		p.print(";")
	case *Const:
		p.print("const ", d.Name)
		if d.Type != nil {
			p.print(": ")
			p.printType(d.Type, precUnion)
		}
		p.print(" = ")
		p.printType(d.Value, precUnion)
		p.print(";")
	case *Enum:
		p.print("enum ", d.Name, " {")
		p.indent++
		for _, m := range d.Members {
			p.newline()
			p.printDoc(m.Doc)
			p.print(memberName(m.Name), " = ")
			p.printType(m.Value, precUnion)
			p.print(",")
		}
		p.indent--
		if len(d.Members) > 0 {
			p.newline()
		}
		p.print("}")
	}
	p.print("\n")
}

// printBases prints what an interface extends.
func (p *printer) printBases(bases []*Ref) {
	p.print("extends ")
	for i, base := range bases {
		p.separate(i, ", ")
		p.printType(base, precUnion)
	}
}

// printParams prints type parameters in angle brackets, and nothing if there are none.
func (p *printer) printParams(params []TypeParam) {
	for i, t := range params {
		if i == 0 {
			p.print("<")
		}
		p.separate(i, ", ")
		p.print(t.Name)
		if t.Constraint != nil {
			p.print(" extends ")
			p.printType(t.Constraint, precUnion)
		}
		if t.Default != nil {
			p.print(" = ")
			p.printType(t.Default, precUnion)
		}
	}
	if len(params) > 0 {
		p.print(">")
	}
}

// printMembers prints the body of an interface or object type, one member to a line.
func (p *printer) printMembers(members []Member) {
	if p.flat {
		p.printFlatMembers(members)
		return
	}
	p.print("{")
	p.indent++
	for _, m := range members {
		p.newline()
		p.printDoc(m.MemberDoc())
		t := p.printLabel(m)
		p.print(" ")
		p.printType(t, precUnion)
		p.print(";")
	}
	p.indent--
	if len(members) > 0 {
		p.newline()
	}
	p.print("}")
}

// printFlatMembers prints members without comments on one line.
func (p *printer) printFlatMembers(members []Member) {
	p.print("{")
	for i, m := range members {
		p.separate(i, ";")
		p.print(" ")
		t := p.printLabel(m)
		p.print(" ")
		p.printType(t, precUnion)
	}
	if len(members) > 0 {
		p.print(" ")
	}
	p.print("}")
}

// printLabel prints a member through its colon, and returns its type.
func (p *printer) printLabel(m Member) Type {
	switch m := m.(type) {
	case *Property:
		p.printReadonly(m.Readonly)
		p.print(memberName(m.Name))
		if m.Optional {
			p.print("?")
		}
		p.print(":")
		return m.Type
	case *Index:
		p.printReadonly(m.Readonly)
		p.print("[", m.Param, ": ")
		p.printType(m.Key, precUnion)
		p.print("]:")
		return m.Value
	}
	return nil // there are no others
}

func (p *printer) printReadonly(readonly bool) {
	if readonly {
		p.print("readonly ")
	}
}

// How tightly a type's syntax binds. A type is put in parentheses where it binds less tightly than
// its place asks for.
const (
	precUnion = iota
	precIntersection
	precOperator
	precPostfix
)

// precedence returns how tightly the outermost syntax of a type binds. The keyword readonly is an operator, though an
// array or a tuple has it as a flag.
func precedence(t Type) int {
	switch t := t.(type) {
	case *Union:
		return precUnion
	case *Intersection:
		return precIntersection
	case *KeyOf:
		return precOperator
	case *Array:
		if t.Readonly {
			return precOperator
		}
	case *Tuple:
		if t.Readonly {
			return precOperator
		}
	}
	return precPostfix
}

// printType prints a type, in parentheses if it binds less tightly than prec. A union in a union is printed as arms of the
// outer one (see flattenUnion), and so are intersections as parts.
func (p *printer) printType(t Type, prec int) {
	if precedence(t) < prec {
		p.print("(")
		defer p.print(")")
	}
	switch t := t.(type) {
	case *Keyword:
		p.print(t.Name)
	case *Literal:
		p.printLiteral(t)
	case *Template:
		p.printTemplate(t)
	case *Ref:
		p.print(t.Name)
		p.printArgs(t.Args)
	case *Array:
		p.printReadonly(t.Readonly)
		p.printType(t.Elem, precPostfix)
		p.print("[]")
	case *Tuple:
		p.printReadonly(t.Readonly)
		p.print("[")
		for i, e := range t.Elems {
			p.separate(i, ", ")
			p.printElem(e)
		}
		p.print("]")
	case *Union:
		for i, arm := range flattenUnion(nil, t) {
			p.separate(i, " | ")
			p.printArm(arm)
		}
	case *Intersection:
		for i, part := range flattenIntersection(nil, t) {
			p.separate(i, " & ")
			p.printType(part, precOperator)
		}
	case *Object:
		p.printMembers(t.Members)
	case *Mapped:
		p.printKey(t)
		p.print(" ")
		p.printType(t.Value, precUnion)
		p.print(" }")
	case *TypeOf:
		p.print("typeof ", t.Name)
	case *KeyOf:
		p.print("keyof ")
		p.printType(t.Type, precOperator)
	case *Indexed:
		p.printType(t.Object, precPostfix)
		p.print("[")
		p.printType(t.Index, precUnion)
		p.print("]")
	}
}

// printKey prints a mapped type up to its value.
func (p *printer) printKey(t *Mapped) {
	p.print("{ ")
	p.printReadonly(t.Readonly)
	p.print("[", t.Param, " in ")
	p.printType(t.Key, precUnion)
	p.print("]")
	if t.Optional {
		p.print("?")
	}
	p.print(":")
}

func (p *printer) printArgs(args []Type) {
	for i, t := range args {
		if i == 0 {
			p.print("<")
		}
		p.separate(i, ", ")
		p.printType(t, precUnion)
	}
	if len(args) > 0 {
		p.print(">")
	}
}

func (p *printer) printLiteral(t *Literal) {
	switch v := t.Value.(type) {
	case string:
		p.print(quote(v))
	case Number:
		p.print(string(v))
	case bool:
		if v {
			p.print("true")
		} else {
			p.print("false")
		}
	}
}

func (p *printer) printTemplate(t *Template) {
	escape := strings.NewReplacer("\\", "\\\\", "`", "\\`", "${", "\\${", "\r", "\\r")
	p.print("`")
	for i, text := range t.Texts {
		p.print(escape.Replace(text))
		if i < len(t.Types) {
			p.print("${")
			p.printType(t.Types[i], precUnion)
			p.print("}")
		}
	}
	p.print("`")
}

// printElem prints an element of a tuple. The question mark of an optional one stands behind its name or, if it has
// none, behind its type.
func (p *printer) printElem(e TupleElem) {
	if e.Rest {
		p.print("...")
	}
	switch {
	case e.Name != "":
		p.print(e.Name)
		if e.Optional {
			p.print("?")
		}
		p.print(": ")
		p.printType(e.Type, precUnion)
	case e.Optional:
		p.printType(e.Type, precPostfix)
		p.print("?")
	default:
		p.printType(e.Type, precUnion)
	}
}

func (p *printer) printArm(arm UnionArm) {
	if _, ok := arm.Doc.Tag("deprecated"); ok {
		p.print("/** @deprecated */ ")
	}
	p.printType(arm.Type, precIntersection)
}

// flattenUnion appends the arms of a union. Those of a union inside it are arms of it too, unless
// they are deprecated as one.
func flattenUnion(arms []UnionArm, u *Union) []UnionArm {
	for _, arm := range u.Arms {
		_, deprecated := arm.Doc.Tag("deprecated")
		if inner, ok := arm.Type.(*Union); ok && !deprecated {
			arms = flattenUnion(arms, inner)
		} else {
			arms = append(arms, arm)
		}
	}
	return arms
}

// flattenIntersection appends the parts of an intersection, and those of intersections inside it.
func flattenIntersection(parts []Type, t *Intersection) []Type {
	for _, part := range t.Parts {
		if inner, ok := part.(*Intersection); ok {
			parts = flattenIntersection(parts, inner)
		} else {
			parts = append(parts, part)
		}
	}
	return parts
}

// printDoc prints the tags of a doc comment that a machine reads, in a fixed order.
func (p *printer) printDoc(d *Doc) {
	if d == nil {
		return
	}
	var tags []string
	for _, name := range []string{"internal", "deprecated", "nullable"} {
		if _, ok := d.Tag(name); ok {
			tags = append(tags, "@"+name)
		}
	}
	for _, name := range []string{"category", "format", "TJS-type", "minimum", "maximum", "maxItems"} {
		for _, t := range d.Tags {
			if t.Name == name {
				tags = append(tags, strings.TrimRight("@"+name+" "+tagValue(t), " "))
			}
		}
	}
	switch len(tags) {
	case 0:
		return
	case 1:
		p.print("/** ", tags[0], " */")
	default:
		p.print("/**")
		for _, t := range tags {
			p.newline()
			p.print(" * ", t)
		}
		p.newline()
		p.print(" */")
	}
	p.newline()
}

// tagValue returns the first line of a tag's text, with single spaces. What would be read as
// another tag or as a code fence is left out.
func tagValue(t Tag) string {
	line, _, _ := strings.Cut(t.Text, "\n")
	line = strings.Join(strings.Fields(strings.ReplaceAll(line, "```", "")), " ")
	return strings.TrimSpace(line[:nextTag(" "+line)-1])
}

// memberName prints the name of a property or enum member, in quotes where it needs them.
func memberName(name string) string {
	for i, r := range name {
		first := i == 0
		switch {
		case r < 0x80 && (!isIdentByte(byte(r)) || first && isDigit(byte(r))),
			r >= 0x80 && !isIdentRune(r, first):
			return quote(name)
		}
	}
	if name == "" {
		return quote(name)
	}
	return name
}

// quote returns a string literal. JSON's are TypeScript's too.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string and a buffer cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}
