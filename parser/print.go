package parser

import (
	"strings"
	"unicode/utf8"
)

// maxWidth is how wide Print makes lines that can be broken.
const maxWidth = 100

// Print prints a file as source, with its doc comments whole: one layout for every file, two spaces for each
// level. Other comments are left out. Printing what it printed changes nothing.
func Print(f *File) string {
	p := sourcePrinter{printer: printer{flat: true}}
	for _, d := range f.Imports {
		p.printFrom("import type", d.Names, d.From)
	}
	for _, d := range f.Exports {
		p.printFrom("export type", d.Names, d.From)
	}
	for i, d := range f.Decls {
		if i > 0 || len(f.Imports)+len(f.Exports) > 0 {
			p.print("\n")
		}
		p.decl(d)
	}
	return p.String()
}

// A sourcePrinter is a printer of whole comments, and of lines that are not too wide.
type sourcePrinter struct{ printer }

// printFrom prints an import or export, a name to a line if they do not fit on one.
func (p *sourcePrinter) printFrom(keyword string, names []ImportName, from string) {
	var flat printer
	flat.printNames(keyword, names, from)
	if utf8.RuneCountInString(flat.String()) <= maxWidth {
		p.print(flat.String())
		return
	}
	p.print(keyword, " {")
	for _, n := range names {
		p.print("\n  ", n.Name)
		if n.Alias != n.Name {
			p.print(" as ", n.Alias)
		}
		p.print(",")
	}
	p.print("\n}")
	if from != "" {
		p.print(" from ", quote(from))
	}
	p.print(";\n")
}

// decl prints a declaration, with `export` before it: a File does not keep which of them the source exports.
func (p *sourcePrinter) decl(d Decl) {
	p.doc(d.DeclDoc())
	p.print("export ")
	switch d := d.(type) {
	case *Interface:
		p.head(d)
		p.members(d.Members)
	case *Alias:
		p.print("type ", d.Name)
		p.printParams(d.Params)
		p.print(" =")
		p.value(d.Type)
		p.print(";")
	case *Const:
		p.print("const ", d.Name)
		if d.Type != nil {
			p.print(": ")
			p.printType(d.Type, precUnion)
		}
		p.print(" =")
		if value := formatType(d.Value); p.column()+utf8.RuneCountInString(value)+len(" ;") <= maxWidth {
			p.print(" ", value, ";")
		} else {
			p.print("\n  ", value, ";")
		}
	case *Enum:
		p.print("enum ", d.Name, " {")
		p.indent++
		for _, m := range d.Members {
			p.newline()
			p.doc(m.Doc)
			p.print(memberName(m.Name), " = ")
			p.printType(m.Value, precUnion)
			p.print(",")
		}
		p.indent--
		p.newline()
		p.print("}")
	}
	p.print("\n")
}

// head prints an interface up to its members, and what it extends on a line of its own if it must.
func (p *sourcePrinter) head(d *Interface) {
	p.print("interface ", d.Name)
	p.printParams(d.Params)
	if len(d.Extends) > 0 {
		bases := printer{flat: true}
		bases.printBases(d.Extends)
		if p.column()+utf8.RuneCountInString(bases.String())+len("  {}") > maxWidth {
			p.print("\n  ")
		} else {
			p.print(" ")
		}
		p.print(bases.String())
	}
	p.print(" ")
}

// members prints the body of an interface or object type, one member to a line.
func (p *sourcePrinter) members(members []Member) {
	p.print("{")
	p.indent++
	for _, m := range members {
		p.newline()
		p.doc(m.MemberDoc())
		p.value(p.printLabel(m))
		p.print(";")
	}
	p.indent--
	if len(members) > 0 {
		p.newline()
	}
	p.print("}")
}

// value prints a type behind = or a colon: on that line if it has no comments and fits, else a
// union with an arm to a line, and an object with a member to a line.
func (p *sourcePrinter) value(t Type) {
	if !documented(t) {
		flat := printer{flat: true}
		flat.printType(t, precUnion)
		if p.column()+utf8.RuneCountInString(flat.String())+len(" ;") <= maxWidth && !strings.Contains(flat.String(), "\n") {
			p.print(" ", flat.String())
			return
		}
	}
	switch t := t.(type) {
	case *Union:
		p.arms(t)
	default:
		p.part(t)
	}
}

// union prints a union in parentheses.
func (p *sourcePrinter) union(t *Union) {
	if !documented(t) {
		p.printType(t, precOperator)
		return
	}
	p.print("(")
	p.arms(t)
	p.newline()
	p.print(")")
}

// arms prints a union with an arm to a line.
func (p *sourcePrinter) arms(t *Union) {
	p.indent++
	for _, arm := range t.Arms {
		p.newline()
		p.doc(arm.Doc)
		p.print("|")
		p.part(arm.Type)
	}
	p.indent--
}

// part prints a type that is not broken, except for the members of its objects.
func (p *sourcePrinter) part(t Type) {
	p.print(" ")
	switch t := t.(type) {
	case *Object:
		p.members(t.Members)
	case *Mapped:
		p.printKey(t)
		p.value(t.Value)
		p.print(" }")
	case *Array:
		if o, ok := t.Elem.(*Object); ok && !t.Readonly {
			p.members(o.Members)
			p.print("[]")
			return
		}
		p.printType(t, precIntersection)
	case *Ref:
		if len(t.Args) == 1 {
			if o, ok := t.Args[0].(*Object); ok {
				p.print(t.Name, "<")
				p.members(o.Members)
				p.print(">")
				return
			}
		}
		p.printType(t, precIntersection)
	case *Intersection:
		for i, part := range t.Parts {
			if i > 0 {
				p.print(" & ")
			}
			switch part := part.(type) {
			case *Object:
				p.members(part.Members)
			case *Union:
				p.union(part)
			default:
				p.printType(part, precOperator)
			}
		}
	default:
		p.printType(t, precIntersection)
	}
}

// column returns how many characters the current line has.
func (p *sourcePrinter) column() int {
	s := p.String()
	return utf8.RuneCountInString(s[strings.LastIndexByte(s, '\n')+1:])
}

// doc prints a doc comment, on one line if it has no tags and fits.
func (p *sourcePrinter) doc(d *Doc) {
	if d == nil {
		return
	}
	if len(d.Tags) == 0 && !strings.Contains(d.Text, "\n") && p.column()+utf8.RuneCountInString(d.Text)+len("/**  */") <= maxWidth {
		p.print("/** ", d.Text, " */")
		p.newline()
		return
	}
	p.print("/**")
	if d.Text != "" {
		p.docLines(d.Text)
	}
	for i, t := range d.Tags {
		if i == 0 && d.Text != "" {
			p.docLines("")
		}
		p.docLines(strings.TrimRight("@"+t.Name+" "+t.Text, " "))
	}
	p.newline()
	p.print(" */")
	p.newline()
}

func (p *sourcePrinter) docLines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		p.newline()
		p.print(strings.TrimRight(" * "+line, " "))
	}
}

// documented reports whether a type has doc comments in it.
func documented(t Type) (found bool) {
	walker{func(p place) { found = found || *p.doc != nil }}.inside("", t)
	return found
}
