package parser

import (
	"slices"
	"strings"
)

// mark begins a line of a comment that must be replaced by hand.
const mark = "--"

// Adopt replaces the comments of an official file by those that base has for the same declarations and members,
// so that nothing of the official one remains but declarations and the tags that tools read. What base does not
// have is marked by a line that begins with "--", and so is what has changed; see [Marked].
func Adopt(official, base *File) {
	known := map[string]place{}
	walk(base, func(p place) { known[p.path] = p })
	walk(official, func(p place) {
		old, found := known[p.path]
		if !found {
			*p.doc = unknownDoc(p)
			return
		}
		doc := adoptedDoc(*p.doc, *old.doc)
		if doc != nil && old.is != p.is {
			doc = &Doc{Text: strings.TrimLeft(doc.Text+"\n\n"+mark+" was: "+old.is, "\n"), Tags: doc.Tags}
		}
		*p.doc = doc
	})
}

// unknownDoc returns the comment of a place that base does not have: a mark, unless the place needs no words.
func unknownDoc(p place) *Doc {
	if *p.doc == nil && p.bare {
		return nil
	}
	d := &Doc{Text: mark}
	if *p.doc != nil {
		for _, t := range (*p.doc).Tags {
			switch {
			case t.Name == "deprecated":
				d.Tags = append(d.Tags, Tag{Name: t.Name, Text: mark})
			case !isProse(t):
				d.Tags = append(d.Tags, t)
			}
		}
	}
	return d
}

// adoptedDoc returns our comment with the tags of the official one. A default that the official comment has only in
// its text is kept.
func adoptedDoc(official, ours *Doc) *Doc {
	_, hasDefault := official.Tag("default")
	isOurs := func(t Tag) bool { return isProse(t) || t.Name == "default" && !hasDefault }
	facts := tags(official, func(t Tag) bool { return !isProse(t) })
	known := tags(ours, func(t Tag) bool { return !isOurs(t) })
	if slices.EqualFunc(facts, known, sameTag) && deprecated(official) == deprecated(ours) {
		return ours
	}
	d := &Doc{}
	if ours != nil {
		d.Text = ours.Text
		d.Tags = tags(ours, func(t Tag) bool { return isOurs(t) && (t.Name != "deprecated" || deprecated(official)) })
	}
	if deprecated(official) && !deprecated(ours) {
		d.Tags = append(d.Tags, Tag{Name: "deprecated", Text: mark})
	}
	if d.Tags = append(d.Tags, facts...); d.Text == "" && len(d.Tags) == 0 {
		return nil
	}
	return d
}

func tags(d *Doc, keep func(Tag) bool) []Tag {
	var list []Tag
	if d != nil {
		for _, t := range d.Tags {
			if keep(t) {
				list = append(list, t)
			}
		}
	}
	return list
}

func deprecated(d *Doc) bool {
	_, found := d.Tag("deprecated")
	return found
}

func sameTag(a, b Tag) bool { return a.Name == b.Name && a.Text == b.Text }

// isProse reports whether a tag is for readers.
func isProse(t Tag) bool {
	switch t.Name {
	case "deprecated", "description", "example", "includeCode", "remarks", "see", "since":
		return true
	}
	return false
}

// A Mark is a place whose comment, or a tag of it, has a line that waits for words.
type Mark struct {
	Pos  Pos    // of the comment
	Path string // of the declaration or member: "Tool.name"
	Text string // what is behind the mark: what the type was, if it has changed
}

// Marked returns the places of a file that [Adopt] marked, and where there are no words yet.
func Marked(f *File) []Mark {
	var marks []Mark
	walk(f, func(p place) {
		d := *p.doc
		if d == nil {
			return
		}
		text := d.Text
		for _, t := range d.Tags {
			text += "\n" + t.Text
		}
		for line := range strings.SplitSeq(text, "\n") {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				marks = append(marks, Mark{d.Pos, p.path, strings.TrimSpace(rest)})
				break
			}
		}
	})
	return marks
}

// A place is where a comment may stand.
type place struct {
	path string
	is   string // what it is, but for the members of objects and the arms of unions, which are places themselves
	bare bool   // it needs no words
	doc  **Doc
}

// walk visits all places of a file.
func walk(f *File, visit func(place)) {
	w := walker{visit}
	for _, d := range f.Decls {
		name := d.DeclName()
		switch d := d.(type) {
		case *Interface:
			is := "no base"
			if len(d.Extends) > 0 {
				var p printer
				p.printBases(d.Extends)
				is = p.String()
			}
			visit(place{path: name, is: is, doc: &d.Doc})
			w.members(name, d.Members)
		case *Alias:
			visit(place{path: name, is: shape(d.Type), doc: &d.Doc})
			w.inside(name, d.Type)
		case *Const:
			visit(place{path: name, doc: &d.Doc})
		case *Enum:
			visit(place{path: name, doc: &d.Doc})
			for i := range d.Members {
				visit(place{path: name + "." + d.Members[i].Name, is: formatType(d.Members[i].Value), doc: &d.Members[i].Doc})
			}
		}
	}
}

type walker struct{ visit func(place) }

// members visits the members of an interface or object type, and the places in their types. The path of a member is
// that of what it is in, and its name.
func (w walker) members(path string, members []Member) {
	for _, m := range members {
		switch m := m.(type) {
		case *Property:
			at := path + "." + m.Name
			is := shape(m.Type)
			if m.Optional {
				is += ", optional"
			}
			w.visit(place{path: at, is: is, doc: &m.Doc})
			w.inside(at, m.Type)
		case *Index:
			at := path + "[" + formatType(m.Key) + "]"
			plain := len(members) == 1 // a map, which is described where it is used
			w.visit(place{path: at, is: shape(m.Value), bare: plain, doc: &m.Doc})
			w.inside(at, m.Value)
		}
	}
}

// inside visits the places in a type.
func (w walker) inside(path string, t Type) {
	switch t := t.(type) {
	case *Object:
		w.members(path, t.Members)
	case *Array:
		w.inside(path, t.Elem)
	case *Mapped:
		w.inside(path, t.Value)
	case *Ref:
		for _, arg := range t.Args {
			w.inside(path, arg)
		}
	case *Intersection:
		for _, part := range t.Parts {
			w.inside(path, part)
		}
	case *Union:
		for i := range t.Arms {
			arm := &t.Arms[i]
			at := path + "|" + shape(arm.Type)
			_, literal := arm.Type.(*Literal)
			w.visit(place{path: at, bare: !literal, doc: &arm.Doc})
			w.inside(at, arm.Type)
		}
	}
}

// shape prints a type without the members of its objects and the arms of its unions.
func shape(t Type) string {
	switch t := t.(type) {
	case *Object:
		return "{}"
	case *Union:
		return "a union"
	case *Array:
		return shape(t.Elem) + "[]"
	case *Intersection:
		var parts []string
		for _, part := range t.Parts {
			parts = append(parts, shape(part))
		}
		return strings.Join(parts, " & ")
	case *Ref:
		var args []string
		for _, arg := range t.Args {
			args = append(args, shape(arg))
		}
		if len(args) > 0 {
			return t.Name + "<" + strings.Join(args, ", ") + ">"
		}
	}
	return formatType(t)
}
