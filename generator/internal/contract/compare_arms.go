package contract

import "slices"

// arms compares the arms of unions under the keyword that lists them.
func (c *comparer) arms(path, keyword string, a, b *object) {
	x, _ := a.get(keyword).([]any)
	y, _ := b.get(keyword).([]any)
	switch {
	case x == nil && y == nil:
		return
	case x == nil:
		c.report(path, narrower, "limited to some forms by %s", keyword)
		return
	case y == nil:
		c.report(path, wider, "no longer limited to some forms by %s", keyword)
		return
	}
	was, is := discriminated(c.old, x), discriminated(c.new, y)
	switch {
	case was != nil && is != nil:
		c.labelled(path, was, is)
	case keyword == "oneOf" && text(x) != text(y): // one arm more may leave less
		c.text(path, keyword, x, y)
	default:
		c.unlabelled(path, x, y)
	}
}

// labelled compares arms that discriminators tell apart.
func (c *comparer) labelled(path string, was, is *object) {
	for _, label := range was.names {
		if is.values[label] == nil {
			c.report(path, narrower, "form with %s removed", label)
		} else {
			c.schema(path+"("+label+")", was.values[label], is.values[label])
		}
	}
	for _, label := range is.names {
		if was.values[label] == nil {
			c.report(path, wider, "form with %s added", label)
		}
	}
}

// unlabelled compares arms without a discriminator. Equal arms belong together, and so do the last two that are
// left over.
func (c *comparer) unlabelled(path string, was, is []any) {
	fresh := make(map[string][]any)
	for _, arm := range is {
		f := form(arm)
		fresh[f] = append(fresh[f], arm)
	}
	var gone, added []any
	for _, arm := range was {
		f := form(arm)
		if len(fresh[f]) == 0 {
			gone = append(gone, arm)
			continue
		}
		c.schema(path, arm, fresh[f][0]) // what they refer to may differ
		fresh[f] = fresh[f][1:]
	}
	for _, arm := range is {
		if f := form(arm); len(fresh[f]) > 0 {
			added, fresh[f] = append(added, arm), fresh[f][1:]
		}
	}
	if len(gone) == 1 && len(added) == 1 {
		c.schema(path, gone[0], added[0])
		return
	}
	for _, arm := range gone {
		c.report(path, narrower, "form %s removed", shape(arm))
	}
	for _, arm := range added {
		c.report(path, wider, "form %s added", shape(arm))
	}
}

// maxShape is how many characters of a schema are shown.
const maxShape = 80

// shape shows a schema on a line, or the beginning of it.
func shape(schema any) string {
	s := []rune(form(schema))
	if len(s) <= maxShape {
		return string(s)
	}
	return string(s[:maxShape]) + "…"
}

// lists compares schemas that all apply, or apply to one item or kind of member each.
func (c *comparer) lists(path string, a, b *object) {
	for _, k := range []string{"allOf", "prefixItems"} {
		x, _ := a.get(k).([]any)
		y, _ := b.get(k).([]any)
		if len(x) != len(y) {
			c.report(path, narrower|wider, "%q changed from %s to %s", k, orNone(a, k), orNone(b, k)).cure("keep %q", k).forClient("see whether the client still fits, and regenerate")
			continue
		}
		for i := range x {
			c.schema(path, x[i], y[i])
		}
	}
	x, y := child(a, "patternProperties"), child(b, "patternProperties")
	for _, name := range names(valuesOf(x), valuesOf(y)) {
		c.schema(path+"."+name, x.get(name), y.get(name))
	}
}

func valuesOf(o *object) map[string]any {
	if o == nil {
		return nil
	}
	return o.values
}

// discriminated returns the arms of a union by their discriminator and its value; nil if not all
// have one, or two have the same.
func discriminated(root *object, arms []any) *object {
	all := &object{}
	for _, arm := range arms {
		properties := child(expand(root, asObject(arm)), "properties")
		i := slices.IndexFunc(members(properties), func(name string) bool { return child(properties, name).get("const") != nil })
		if i < 0 {
			return nil
		}
		name := properties.names[i]
		label := name + "=" + plain(child(properties, name).get("const"))
		if all.values[label] != nil {
			return nil
		}
		all.set(label, arm)
	}
	return all
}
