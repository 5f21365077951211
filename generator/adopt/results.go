package adopt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxPlaces is how many places of one result are reported.
const maxPlaces = 5

// outcomes compares how the servers responded to the calls.
func (c *comparison) outcomes(calls []Call, a, b *Revision) {
	now := map[int]*Outcome{}
	for i := range b.Outcomes {
		now[b.Outcomes[i].Call] = &b.Outcomes[i]
	}
	for i := range a.Outcomes {
		was := &a.Outcomes[i]
		is := now[was.Call]
		call := calls[was.Call]
		if is == nil {
			is = &Outcome{Call: was.Call, Kind: Silence}
		}
		mistake := call.isMade() && call.Case != Valid
		c.outcome(mistake, lacksStructured(a.Revision), fmt.Sprintf("tool %s: call with %s (%s)", line(call.Tool), line(string(compacted(call.Arguments))), line(call.Case)), was, is)
	}
}

func compacted(text json.RawMessage) json.RawMessage {
	tree, err := decode(text)
	if err != nil {
		return json.RawMessage("{}")
	}
	return encode(tree)
}

// lacksStructured reports whether a revision does not define structured content, so that its clients do not read it.
func lacksStructured(revision string) bool {
	v, err := wire.ParseRevision(revision)
	if err != nil {
		return false
	}
	text, err := wire.Marshal(v, &mcp.CallToolResult{StructuredContent: wire.Raw("{}")})
	return err == nil && !bytes.Contains(text, []byte("structuredContent"))
}

// outcome compares two outcomes of one call. The error about a mistake that was made on purpose is compared by its kind alone, and
// results without structured content where the revision lacks it.
func (c *comparison) outcome(mistake, plain bool, what string, was, is *Outcome) {
	before, _ := decode(was.Value)
	after, _ := decode(is.Value)
	if was.Varies && !is.Varies {
		after, _ = decode(shapeOf(is.Value))
	}
	if plain {
		for _, v := range []any{before, after} {
			if o, ok := v.(map[string]any); ok {
				delete(o, "structuredContent")
			}
		}
	}
	if was.Kind != is.Kind {
		c.kinds(what, was, is, after)
		return
	}
	switch {
	case was.Varies:
		if !equal(before, after) {
			c.breaks("return the same kinds of values", "%s: the kinds of values: %s", what, changed(before, after))
		}
	case was.digest() == is.digest():
	case mistake && was.Kind == ToolError:
	case was.Digest != "" || is.Digest != "":
		c.breaks("return the same", "%s: the large result is another", what)
	default:
		p := places{c: c, what: what, failed: was.Kind != Result, code: mistake}
		p.compare(was.Kind, before, after)
	}
}

// kinds compares outcomes of several kinds. An error that has become a result breaks no client.
func (c *comparison) kinds(what string, was, is *Outcome, after any) {
	text := "from " + was.Kind + " to " + is.Kind
	if is.Kind == ToolError || is.Kind == Refused {
		text += ": " + shown(after)
	}
	if is.Kind == Result {
		c.notes("%s: %s", what, text)
		return
	}
	c.breaks("respond in the same way", "%s: %s", what, text)
}

// places compares results, place by place.
type places struct {
	c      *comparison
	what   string
	failed bool // they are errors, whose texts are for people and models
	code   bool // of error responses, only the code is compared
	n      int
}

func (p *places) report(breaking bool, path, text string) {
	if p.n++; p.n > maxPlaces {
		return
	}
	cure := ""
	if breaking = breaking && !p.failed; breaking {
		cure = "return the same"
	}
	p.c.add(breaking, cure, fmt.Sprintf("%s: %s: %s", p.what, line(path), text))
}

// compare compares the values of two outcomes of one kind, and may change them: the code of error responses, which
// always counts, is compared first and deleted. In results, what is beside structured content and content breaks no
// client.
func (p *places) compare(kind string, before, after any) {
	was, _ := before.(map[string]any)
	is, _ := after.(map[string]any)
	if kind == Refused {
		if !equal(was["code"], is["code"]) {
			p.c.breaks("return the same code", "%s: code: %s", p.what, changed(was["code"], is["code"]))
		}
		delete(was, "code")
		delete(is, "code")
		if !p.code {
			p.value("", before, after)
		}
		return
	}
	p.structured(was, is)
	p.content(was, is)
	for _, name := range sorted(was, is) {
		if name != "structuredContent" && name != "content" && !equal(was[name], is[name]) {
			p.report(false, name, changed(was[name], is[name]))
		}
	}
}

func (p *places) structured(was, is map[string]any) {
	a, had := was["structuredContent"]
	b, has := is["structuredContent"]
	switch {
	case !had && has:
		p.report(false, "structuredContent", "added")
	case had && !has:
		p.report(true, "structuredContent", "removed")
	case had:
		p.value("structuredContent", a, b)
	}
}

// content compares lists of content blocks.
func (p *places) content(was, is map[string]any) {
	a, _ := was["content"].([]any)
	b, _ := is["content"].([]any)
	if len(a) != len(b) {
		p.report(true, "content", fmt.Sprintf("%d blocks, was %d", len(b), len(a)))
		return
	}
	if !equal(a, b) && sameItems(a, b) {
		p.report(true, "content", "the blocks are in another order")
		return
	}
	for i := range a {
		path := fmt.Sprintf("content[%d]", i)
		x, _ := a[i].(map[string]any)
		y, _ := b[i].(map[string]any)
		one, isText := x["text"].(string)
		other, isOther := y["text"].(string)
		if !isText || !isOther || one == other {
			p.value(path, a[i], b[i])
			continue
		}
		if v, err := decode([]byte(one)); err == nil && isContainer(v) {
			if w, err := decode([]byte(other)); err == nil {
				before := p.n
				if p.value(path+".text", v, w); p.n == before {
					p.report(false, path+".text", "the same JSON, written in another way")
				}
				continue
			}
		}
		p.value(path, x, y)
	}
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// sameItems reports whether lists have the same items, in whatever order.
func sameItems(a, b []any) bool {
	texts := func(list []any) (all []string) {
		for _, v := range list {
			all = append(all, string(encode(v)))
		}
		slices.Sort(all)
		return all
	}
	return slices.Equal(texts(a), texts(b))
}

// value compares JSON values.
func (p *places) value(path string, was, is any) {
	switch a := was.(type) {
	case map[string]any:
		b, ok := is.(map[string]any)
		if !ok {
			break
		}
		for _, name := range sorted(a, b) {
			at := name
			if path != "" {
				at = path + "." + name
			}
			_, had := a[name]
			_, has := b[name]
			switch {
			case !had:
				p.report(true, at, "added: "+shown(b[name]))
			case !has:
				p.report(true, at, "removed, was "+shown(a[name]))
			default:
				p.value(at, a[name], b[name])
			}
		}
		return
	case []any:
		b, ok := is.([]any)
		if !ok {
			break
		}
		if len(a) != len(b) {
			p.report(true, path, fmt.Sprintf("%d items, was %d", len(b), len(a)))
			return
		}
		if !equal(a, b) && sameItems(a, b) {
			p.report(true, path, "the items are in another order")
			return
		}
		for i := range a {
			p.value(fmt.Sprintf("%s[%d]", path, i), a[i], b[i])
		}
		return
	case json.Number:
		if b, _ := is.(json.Number); a != b && sameNumber(a, b) {
			p.report(false, path, "the same number, written as "+shown(b)+", was "+shown(a))
			return
		}
	}
	if !equal(was, is) {
		p.report(true, path, "changed from "+shown(was)+" to "+shown(is))
	}
}

// sameNumber reports whether two numbers have the same value. It is sure of those that a float64 holds exactly.
func sameNumber(a, b json.Number) bool {
	x, _ := strconv.ParseFloat(a.String(), 64)
	y, err := strconv.ParseFloat(b.String(), 64)
	return err == nil && x == y && len(a) <= 15 && len(b) <= 17
}

// shapeOf returns the kinds of values that a result has: of lists, that of the first item.
func shapeOf(value json.RawMessage) json.RawMessage {
	tree, err := decode(value)
	if err != nil {
		return nil
	}
	result, _ := tree.(map[string]any)
	if content, _ := result["content"].([]any); content != nil {
		var types []any
		for _, block := range content {
			b, _ := block.(map[string]any)
			types = append(types, b["type"])
		}
		delete(result, "content")
		shaped := shape(result).(map[string]any)
		shaped["content"] = types
		return encode(shaped)
	}
	return encode(shape(tree))
}

// shape returns a JSON value with the name of its kind in place of each scalar. Of a list it has the first item, and of
// an empty one the name "array".
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		shaped := map[string]any{}
		for name, member := range v {
			shaped[name] = shape(member)
		}
		return shaped
	case []any:
		if len(v) == 0 {
			return "array"
		}
		return []any{shape(v[0])}
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	}
	return "null"
}
