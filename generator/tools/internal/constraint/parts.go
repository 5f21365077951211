package constraint

import (
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// applyToPart applies a key to the items of a list, or to the keys or values of a map.
func (c *constrainer) applyToPart(word, key string) {
	part := c.part(word)
	if part == nil {
		return
	}
	part.apply(c.d, c.v, key)
	k := part.p.Constraints
	if k == nil {
		return
	}
	switch word {
	case "items":
		c.constraints().Items = k
	case "keys":
		c.constraints().Keys = k
	default:
		c.constraints().Values = k
	}
}

// part returns the constrainer of the parts of a value. If it has no such parts, part adds a problem and returns
// nil.
func (c *constrainer) part(word string) *constrainer {
	if part, ok := c.parts[word]; ok {
		return part
	}
	var t *ir.Type
	var known *ir.Constraints // of the field, where a path leads to it
	k := c.p.Constraints
	if k == nil {
		k = new(ir.Constraints)
	}
	switch word {
	case "items":
		if !c.want(c.t.Kind == ir.Slice || c.t.Kind == ir.Array, "items are those of slices and arrays") {
			return nil
		}
		t, known = c.t.Elem, k.Items
	default:
		if !c.want(c.t.Kind == ir.Map, word+" are those of maps") {
			return nil
		}
		t, known = c.t.Elem, k.Values
		if word == "keys" {
			t, known = c.t.Key, k.Keys
		}
	}
	if t.Kind == ir.Invalid {
		return nil
	}
	if word == "keys" && t.Kind != ir.String {
		c.problem("only keys that are strings have constraints, and those of %s have the type %s", c.what, c.typeString(t.Go))
		return nil
	}
	part := c.newConstrainer(&ir.Property{Go: c.p.Go, Type: t, Constraints: known}, c.input, "the "+word+" of "+c.what, c.prefix+word+".")
	c.parts[word] = part
	if at := *c; c.t.Name != "" {
		c.later = append(c.later, func() {
			if at.t.Contains(at.t) {
				at.problem("%s contains itself, so that only the whole of it has constraints", at.typeString(at.t.Go))
			}
		})
	}
	return part
}
