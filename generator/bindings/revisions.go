package bindings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/godoc"
	"github.com/mcpgen/mcpgen/model"
)

// emitHead writes the header of the package, with what it is generated from, and its comment.
func (g *generator) emitHead() {
	f := g.file(g.headFile())
	for _, s := range g.schema.Sources {
		f.HeaderComment(fmt.Sprintf("Schema %s, SHA-256 %s", cmp.Or(s.Extension, s.Revision), s.SHA256))
	}
	if g.options.Doc != "" {
		for line := range strings.SplitSeq(g.options.Doc, "\n") {
			f.PackageComment(godoc.Line(line))
		}
	}
}

// headFile is the file that says what the package is generated from.
func (g *generator) headFile() string {
	if g.schema.Extension != "" {
		return "extension"
	}
	return "revisions"
}

// emitExtension writes the constant for the identifier of the extension.
func (g *generator) emitExtension() {
	f := g.file(g.headFile())
	g.declare("Extension", "the identifier of the extension")
	f.Comment("Extension is the identifier by which clients and servers declare the extension.")
	f.Const().Id("Extension").Op("=").Lit(g.schema.Extension)
}

// emitRevisions writes the constants for the revisions.
func (g *generator) emitRevisions() {
	f := g.file(g.headFile())
	all := g.schema.Revisions
	f.Comment("The revisions of the protocol, by their dates.")
	f.Const().DefsFunc(func(d *jen.Group) {
		for _, r := range all {
			name := revisionName(r)
			g.declare(name, "revision "+r)
			n, err := strconv.Atoi(strings.ReplaceAll(r, "-", ""))
			if err != nil || len(r) != len("2006-01-02") {
				g.errorf("the revision %q is not a date such as 2025-06-18", r)
			}
			d.Id(name).Qual(wirePath, "Revision").Op("=").Lit(n)
		}
	})
	g.declare("Revisions", "the list of revisions")
	comment(f, "Revisions returns the revisions that this package knows, oldest first.")
	f.Func().Id("Revisions").Params().Index().Qual(wirePath, "Revision").Block(
		jen.Return(jen.Index().Qual(wirePath, "Revision").ValuesFunc(func(v *jen.Group) {
			for _, r := range all {
				v.Id(revisionName(r))
			}
		})),
	)
}

// batches is the name of a type that only schemas with batches have.
const batches = "JSONRPCBatchRequest"

// emitBatches writes which revisions have batches, if one has.
func (g *generator) emitBatches() {
	t := g.schema.Type(batches)
	if t == nil {
		return
	}
	g.declare("HasBatches", "the function for batches in a revision")
	f := g.file(g.headFile())
	say(f, "HasBatches reports whether messages may come in batches, which are JSON arrays, in revision rev. In [wire.Any], the time before a revision was agreed on, they may not.")
	f.Func().Id("HasBatches").Params(jen.Id("rev").Qual(wirePath, "Revision")).Bool().Block(
		jen.Return(jen.Id("rev").Op("!=").Qual(wirePath, "Any").Op("&&").Qual(wirePath, "HasRevision").Call(g.spans(t.Revs), jen.Id("rev"))),
	)
}

// initialize is the name of the type of the request that opens a session, which only schemas with sessions have.
const initialize = "InitializeRequest"

// emitModern writes the constant for the first revision without sessions, if there is one.
func (g *generator) emitModern() {
	t, all := g.schema.Type(initialize), g.schema.Revisions
	if t == nil || t.Revs[len(t.Revs)-1] == all[len(all)-1] {
		return
	}
	g.declare("Modern", "the first revision without sessions")
	f := g.file(g.headFile())
	say(f, "Modern is the first revision without sessions: each request says in its metadata what initialize said for all of a session.")
	f.Const().Id("Modern").Op("=").Id(revisionName(all[slices.Index(all, t.Revs[len(t.Revs)-1])+1]))
}

// revisionName is the constant for a revision.
func revisionName(rev string) string { return "V" + strings.ReplaceAll(rev, "-", "_") }

// revision is the constant for a revision, which in the package of an extension is that of its base.
func (g *generator) revision(rev string) *jen.Statement {
	if g.schema.Extension != "" {
		return jen.Qual(g.options.Import, revisionName(rev))
	}
	return jen.Id(revisionName(rev))
}

// A bound is a range of revisions from one to before another; empty strings are no limit.
type bound struct{ from, until string }

// ranges returns the revisions of set as ranges within all. Only the revisions in within have to be told apart, so
// limits that these never reach are left out.
func ranges(all, within, set model.Revs) []bound {
	var out []bound
	for i := 0; i < len(all); i++ {
		if !slices.Contains(set, all[i]) {
			continue
		}
		var b bound
		if slices.ContainsFunc(within, func(r string) bool { return r < all[i] }) {
			b.from = all[i]
		}
		for i++; i < len(all) && (slices.Contains(set, all[i]) || !slices.Contains(within, all[i])); i++ {
		}
		if i < len(all) {
			b.until = all[i]
		}
		out = append(out, b)
	}
	return out
}

// rangesIn returns the revisions of set as ranges within those of a type.
func (g *generator) rangesIn(t *model.Type, set model.Revs) []bound {
	return ranges(g.schema.Revisions, t.Revs, set)
}

// whenAvailable returns the condition, on the encoder e, that the revision is in bounds; nil if it always is.
func (g *generator) whenAvailable(bounds []bound) *jen.Statement {
	e := func() *jen.Statement { return jen.Id("e") }
	return anyOf(bounds, func(b bound) *jen.Statement {
		switch {
		case b.from == "" && b.until == "":
			return nil
		case b.until == "":
			return e().Dot("Since").Call(g.revision(b.from))
		case b.from == "":
			return e().Dot("Before").Call(g.revision(b.until))
		}
		return e().Dot("Within").Call(g.revision(b.from), g.revision(b.until))
	})
}

// whenNeeded returns the condition that the revision is in bounds, and is not wire.Any.
func (g *generator) whenNeeded(bounds []bound) *jen.Statement {
	limit := func(rev string) jen.Code {
		if rev == "" {
			return jen.Lit(0)
		}
		return g.revision(rev)
	}
	return anyOf(bounds, func(b bound) *jen.Statement {
		return jen.Id("e").Dot("Needs").Call(limit(b.from), limit(b.until))
	})
}

// anyOf returns the condition that one of the bounds meets its own; nil without bounds.
func anyOf(bounds []bound, condition func(bound) *jen.Statement) *jen.Statement {
	var all *jen.Statement
	for _, b := range bounds {
		switch c := condition(b); {
		case all == nil:
			all = c
		default:
			all = all.Op("||").Add(c)
		}
	}
	return all
}

// inWords describes the revisions of set among those of within; empty means all of them.
func (g *generator) inWords(within, set model.Revs) string {
	var words []string
	for _, b := range ranges(g.schema.Revisions, within, set) {
		last := ""
		for _, r := range set {
			if r < b.until {
				last = r
			}
		}
		switch {
		case b.from == "" && b.until == "":
			return ""
		case b.until == "":
			words = append(words, "since "+b.from)
		case b.from == "":
			words = append(words, "through "+last)
		case b.from == last:
			words = append(words, "in "+last)
		default:
			words = append(words, "from "+b.from+" to "+last)
		}
	}
	return strings.Join(words, ", and ")
}

// span is the wire.Span of a range of revisions.
func (g *generator) span(b bound) jen.Code { return jen.Qual(wirePath, "Span").Values(g.limits(b)...) }

// limits are the fields of a wire.Span.
func (g *generator) limits(b bound) []jen.Code {
	var fields []jen.Code
	if b.from != "" {
		fields = append(fields, jen.Id("From").Op(":").Add(g.revision(b.from)))
	}
	if b.until != "" {
		fields = append(fields, jen.Id("Until").Op(":").Add(g.revision(b.until)))
	}
	return fields
}
