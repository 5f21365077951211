package contract

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// A comparer compares two schemas, of what callers send or of what they receive.
type comparer struct {
	*changes
	old, new *object // roots, for references
	returned bool
	seen     map[[2]*object]bool
	depth    int
	oracle   *oracle // decides what breaks
	harmless bool    // what is compared is part of what breaks nobody
	broken   int     // how many breaking changes were found, or had been before
	place    *typePlace
}

// maxCompared is how deep schemas are compared. References can make them deeper than a file may be.
const maxCompared = 1000

// A relation says how the values that a schema accepts differ from those that it accepted before.
type relation int

const (
	narrower relation = 1 << iota // it does not take all that it took
	wider                         // it takes more
)

// report adds a change that breaks callers by variance, unless it is part of one that breaks nobody.
func (c *comparer) report(path string, r relation, format string, args ...any) *Change {
	breaking, cure, own := r&narrower != 0, "take all that it took before", "send only what it takes now"
	if c.returned {
		breaking, cure, own = r&wider != 0, "return only what it could be before", "be ready for what it may be now"
	}
	breaking = breaking && !c.harmless
	if breaking {
		c.broken++
	}
	change := c.note(path, breaking, format, args...)
	change.cure("%s", cure).forClient("%s", own)
	return change
}

// note adds a change of the type that is being compared.
func (c *comparer) note(path string, breaking bool, format string, args ...any) *Change {
	change := c.add(path, breaking, format, args...)
	if c.place != nil {
		change.shape = c.place.key() + strings.TrimPrefix(path, c.place.path)
	}
	return change
}

// A typePlace is where a type is, whose changes are the same wherever it is used.
type typePlace struct {
	path     string
	old, new *object
	text     string
}

// key names the type by its forms.
func (t *typePlace) key() string {
	if t.text == "" {
		form := func(o *object) string { return form(without(o, "$defs", "default", "x-mcp-header")) }
		t.text = fmt.Sprintf("%x ", sha256.Sum256([]byte(form(t.old)+"\n"+form(t.new))))
	}
	return t.text
}

// isType reports whether a schema is that of a type, rather than of one value.
func isType(s *object) bool {
	return s.get("type") == "object" || s.get("enum") != nil || s.get("x-known") != nil
}

// anything and nothing are the schemas true and false, which nobody changes.
var anything, nothing = &object{}, &object{}

func asObject(schema any) *object {
	switch s := schema.(type) {
	case *object:
		return s
	case bool:
		if !s {
			return nothing
		}
	}
	return anything
}

// schema compares two schemas at a path, each pair once, however many references lead to it: there may be circles. Below a pair
// that is known to break nobody, all changes are harmless; one that breaks callers must have a change that does, so if the
// keywords yield none, that is reported.
func (c *comparer) schema(path string, old, new any) {
	a, b := asObject(old), asObject(new)
	harmless := c.harmless || c.contains(a, b)
	if pair := [2]*object{a, b}; c.seen[pair] {
		if !harmless {
			c.broken++
		}
		return
	} else {
		c.seen[pair] = true
	}
	if c.depth++; c.depth > maxCompared {
		c.report(path, narrower|wider, "nested too deep to be compared")
		c.depth--
		return
	}
	outer, place, broken := c.harmless, c.place, c.broken
	c.harmless = harmless
	c.keywords(path, expand(c.old, a), expand(c.new, b))
	if !harmless && c.broken == broken {
		c.unexplained(path)
	}
	c.depth--
	c.harmless, c.place = outer, place
}

// contains asks the oracle: every value that callers could send before must be valid now, and every value that they
// may receive now must have been valid before.
func (c *comparer) contains(old, new *object) bool {
	if c.returned {
		return c.oracle.contained([]any{schemaOf(new)}, schemaOf(old))
	}
	return c.oracle.contained([]any{schemaOf(old)}, schemaOf(new))
}

func schemaOf(s *object) any {
	if s == nothing {
		return false
	}
	return s
}

// unexplained adds a change that no keyword shows by itself.
func (c *comparer) unexplained(path string) {
	if c.returned {
		c.report(path, wider, "may be what it could not be before")
	} else {
		c.report(path, narrower, "does not take all that it took before")
	}
}

// keywords compares two schemas without references.
func (c *comparer) keywords(path string, a, b *object) {
	if isType(a) && isType(b) && (c.returned || c.depth > 1) {
		c.place = &typePlace{path: path, old: a, new: b}
	}
	c.text(path, "$ref", a.get("$ref"), b.get("$ref")) // that lead nowhere
	switch {
	case a == nothing && b == nothing:
		return
	case a == nothing:
		c.report(path, wider, "allowed now")
		return
	case b == nothing:
		c.report(path, narrower, "no longer allowed")
		return
	}
	if !c.types(path, a.get("type"), b.get("type")) {
		return
	}
	if !c.enums(path, a, b) {
		c.bounds(path, a, b)
		for _, k := range []string{"pattern", "format", "contentEncoding"} {
			c.text(path, k, a.get(k), b.get(k))
		}
	}
	c.text(path, "x-go-type", a.get("x-go-type"), b.get("x-go-type"))
	was, _ := a.get(worded).(string)
	is, _ := b.get(worded).(string)
	c.description(path, was, is)
	c.hints(path, a, b)
	c.members(path, a, b)
	c.oneOf(path, a, b)
	if a.get("items") != nil || b.get("items") != nil {
		c.schema(path+"[]", a.get("items"), b.get("items"))
	}
	if a.get("propertyNames") != nil || b.get("propertyNames") != nil {
		c.schema(path+" (names)", a.get("propertyNames"), b.get("propertyNames"))
	}
	c.arms(path, "oneOf", a, b)
	c.arms(path, "anyOf", a, b)
	c.lists(path, a, b)
	c.others(path, a, b)
}

// types compares the types, and reports whether more is worth comparing.
func (c *comparer) types(path string, a, b any) bool {
	switch {
	case text(a) == text(b):
		return true
	case a == nil:
		c.report(path, narrower, "limited to type %s", plain(b))
	case b == nil:
		c.report(path, wider, "no longer limited to type %s", plain(a))
	case a == "integer" && b == "number":
		c.report(path, wider, "type changed from integer to number")
	case a == "number" && b == "integer":
		c.report(path, narrower, "type changed from number to integer")
	default:
		r, same := typeRelation(a, b)
		change := c.report(path, r, "type changed from %s to %s", plain(a), plain(b))
		if r == narrower|wider {
			change.cure("keep the type, and add another %s for the new one", c.thing()).forClient("regenerate, and use the new type")
		}
		return same
	}
	return true
}

// typeRelation returns how one list of types differs from another, and whether they have one in common.
func typeRelation(a, b any) (r relation, same bool) {
	names := func(v any) map[string]bool {
		if list, ok := v.([]any); ok {
			return texts(list)
		}
		return texts([]any{v})
	}
	has := func(list map[string]bool, v string) bool { return list[v] || v == `"integer"` && list[`"number"`] }
	was, is := names(a), names(b)
	for v := range was {
		if has(is, v) {
			same = true
		} else {
			r |= narrower
		}
	}
	for v := range is {
		if !has(was, v) {
			r |= wider
		}
	}
	return r, same
}

// plain returns a name without quotes, any other value as JSON.
func plain(v any) string {
	if s, ok := v.(string); ok && s != "" && !strings.ContainsAny(s, " \t\n\"'") {
		return s
	}
	return text(v)
}

// enums compares the listed values. It reports whether there are any: other limits of scalars then matter only for
// these values.
func (c *comparer) enums(path string, a, b *object) bool {
	was, is := listed(a), listed(b)
	switch {
	case was == nil && is == nil:
		c.known(path, a, b)
		return false
	case was == nil:
		c.report(path, narrower, "limited to %s", join(is))
		for _, v := range is {
			if !c.oracle.admits(a, v) {
				c.report(path, wider, "value %s added", text(v))
			}
		}
	case is == nil:
		change := c.report(path, wider, "no longer limited to %s", join(was))
		if b.get("x-known") != nil {
			change.cure("write //mcp:schema closed above the type")
		}
		change.forClient("be ready for other values")
		for _, v := range was {
			if !c.oracle.admits(b, v) {
				c.report(path, narrower, "value %s removed", text(v)).cure("keep the value").forClient("send another value")
			}
		}
	default:
		before, now := texts(was), texts(is)
		for _, v := range was {
			if v := text(v); !now[v] {
				c.report(path, narrower, "value %s removed", v).cure("keep the value").forClient("send another value")
			}
		}
		for _, v := range is {
			if v := text(v); !before[v] {
				c.report(path, wider, "value %s added", v).cure("return only the values that there were").forClient("handle the value, too")
			}
		}
	}
	return true
}

// known compares the known values of a result, which may have others.
func (c *comparer) known(path string, a, b *object) {
	was, _ := a.get("x-known").([]any)
	is, _ := b.get("x-known").([]any)
	before, now := texts(was), texts(is)
	for _, v := range was {
		if v := text(v); !now[v] {
			c.note(path, false, "known value %s removed", v)
		}
	}
	for _, v := range is {
		if v := text(v); !before[v] {
			c.note(path, false, "known value %s added", v)
		}
	}
}

// listed returns the values that an enum or const allows; nil if there is neither.
func listed(s *object) []any {
	if v, ok := s.values["const"]; ok {
		return []any{v}
	}
	list, _ := s.get("enum").([]any)
	return list
}

// texts returns the set of values of a list.
func texts(list []any) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, v := range list {
		set[text(v)] = true
	}
	return set
}

func join(list []any) string {
	var texts []string
	for _, v := range list {
		texts = append(texts, text(v))
	}
	return strings.Join(texts, ", ")
}

// text compares a keyword whose values have no order.
func (c *comparer) text(path, keyword string, a, b any) {
	switch {
	case text(a) == text(b):
	case a == nil:
		c.report(path, narrower, "%s added: %s", keyword, plain(b))
	case b == nil:
		c.report(path, wider, "%s removed, was %s", keyword, plain(a))
	default:
		c.report(path, narrower|wider, "%s changed from %s to %s", keyword, plain(a), plain(b))
	}
}

// hints compares keywords that matter only to senders.
func (c *comparer) hints(path string, a, b *object) {
	if c.returned {
		return
	}
	switch x, y := a.get("x-mcp-header"), b.get("x-mcp-header"); {
	case text(x) == text(y):
	case y == nil:
		c.add(path, false, "header %s removed", plain(x))
	case x == nil:
		c.add(path, true, "header %s added", plain(y)).cure("leave out header").forClient("regenerate")
	default:
		c.add(path, true, "header changed from %s to %s", plain(x), plain(y)).cure("keep header=%s", plain(x)).forClient("regenerate")
	}
	x, before := a.values["default"]
	y, after := b.values["default"]
	switch {
	case text(x) == text(y) && before == after:
	case !after:
		c.add(path, false, "default removed, was %s", text(x))
	case !before:
		c.add(path, false, "default added: %s", text(y))
	default:
		c.add(path, false, "default changed from %s to %s", text(x), text(y))
	}
}

// thing is what a property is called.
func (c *comparer) thing() string {
	if c.returned {
		return "member"
	}
	return "argument"
}

// members compares the properties of objects.
func (c *comparer) members(path string, a, b *object) {
	m := &propertyLists{
		before: child(a, "properties"), after: child(b, "properties"), wasRequired: required(a), isRequired: required(b),
		more: asObject(a.get("additionalProperties")), moreNow: asObject(b.get("additionalProperties")),
	}
	m.wasDeclared, m.isDeclared = declared(a, m.wasRequired), declared(b, m.isRequired)
	if c.returned || m.more == nothing && m.moreNow == nothing { // else names are not all that callers may send
		m.rename()
	}
	for _, name := range m.wasDeclared.names {
		at := path + "." + name
		if !m.isDeclared.has(name) {
			c.removed(at, name, m)
			continue
		}
		switch was, is := m.wasRequired.has(name), m.isRequired.has(name); {
		case !was && is:
			c.report(at, narrower, "required now").cure("give it a default, or make it optional").forClient("always send it")
		case was && !is:
			c.report(at, wider, "optional now").cure("always return it").forClient("be ready for its absence")
		}
		c.schema(at, m.before.get(name), m.after.get(name))
	}
	for _, name := range m.isDeclared.names {
		if !m.wasDeclared.has(name) && m.from[name] == "" {
			c.added(path+"."+name, name, m)
		}
	}
	switch more, moreNow := m.more, m.moreNow; {
	case more == moreNow || open(more) && open(moreNow):
	case more == nothing:
		c.report(path, wider, "other members are allowed now")
	case moreNow == nothing:
		c.report(path, narrower, "other members are no longer allowed")
	default:
		c.schema(path+".*", more, moreNow)
	}
}

// removed reports a property that is gone, or has another name.
func (c *comparer) removed(at, name string, m *propertyLists) {
	was := m.before.get(name)
	r := m.instead(asObject(was), m.moreNow, narrower, wider)
	if m.wasRequired.has(name) {
		r |= wider
	}
	switch to := m.to[name]; {
	case to != "":
		c.report(at, r|m.instead(asObject(was), m.more, wider, narrower), "renamed to %s", to).
			cure("keep the name %s, by name= in //mcp:param or a json tag", name).forClient("regenerate, and use the new name")
	case c.returned:
		c.report(at, r, "removed").cure("keep returning it").forClient("regenerate, and do without it")
	case r != 0:
		c.report(at, r, "removed").cure("keep it, if only to ignore it").forClient("regenerate, and do not send it")
	}
	if m.to[name] == "" && m.moreNow != nothing && !open(m.moreNow) {
		c.schema(at, was, m.moreNow)
	}
}

// added reports a property that is new.
func (c *comparer) added(at, name string, m *propertyLists) {
	is := m.after.get(name)
	r := m.instead(asObject(is), m.more, wider, narrower)
	if m.isRequired.has(name) {
		r |= narrower
	}
	switch {
	case c.returned && m.more == nothing:
		c.report(at, r, "added, where no member could be").cure("return it from another %s", c.kind).forClient("regenerate: what validates results refuses it")
	case c.returned:
		c.report(at, r, "added")
	case m.isRequired.has(name):
		c.report(at, r, "added, required").cure("give it a default, or make it optional").forClient("regenerate, and send it")
	case r&narrower != 0:
		c.report(at, r, "added, optional, where any value could be").cure("take any value").forClient("see what is sent by that name")
	default:
		c.report(at, r, "added, optional")
	}
	if m.more != nothing && !open(m.more) {
		c.schema(at, m.more, is)
	}
}

// instead returns how the values of an object differ if a member with a schema takes the place of others, or the other
// way round: others are those that are not declared, and one and more what it means if they are fewer, or more.
func (m *propertyLists) instead(s, others *object, fewer, more relation) relation {
	switch {
	case others == nothing && s != nothing:
		return fewer
	case open(others) && len(saying(s)) > 0, open(others) && s == nothing:
		return more
	}
	return 0
}

// propertyLists are the properties of two objects.
type propertyLists struct {
	before, after           *object
	wasRequired, isRequired *set
	wasDeclared, isDeclared *set
	more, moreNow           *object           // additionalProperties
	to, from                map[string]string // names of properties that only their names tell apart
}

// rename finds renamed properties: of one form, as many are gone as are new, and they are in the same order.
func (m *propertyLists) rename() {
	m.to, m.from = map[string]string{}, map[string]string{}
	forms := func(in, other, required *set, properties *object) (all map[string][]string) {
		all = make(map[string][]string)
		for _, name := range in.names {
			if !other.has(name) {
				f := form(properties.get(name))
				if required.has(name) {
					f += " required"
				}
				all[f] = append(all[f], name)
			}
		}
		return all
	}
	gone := forms(m.wasDeclared, m.isDeclared, m.wasRequired, m.before)
	if len(gone) == 0 {
		return
	}
	for f, fresh := range forms(m.isDeclared, m.wasDeclared, m.isRequired, m.after) {
		for i, name := range gone[f] {
			if len(gone[f]) == len(fresh) {
				m.to[name], m.from[fresh[i]] = fresh[i], name
			}
		}
	}
}

// open reports whether a schema accepts everything.
func open(s *object) bool { return s != nothing && len(s.names) == 0 }

// A set of names keeps their order.
type set struct {
	names []string
	is    map[string]bool
}

func (s *set) add(name string) {
	if s.is == nil {
		s.is = make(map[string]bool)
	}
	if !s.is[name] {
		s.is[name] = true
		s.names = append(s.names, name)
	}
}

func (s *set) has(name string) bool { return s.is[name] }

// required returns the names of the members that an object must have.
func required(o *object) *set {
	s := new(set)
	list, _ := o.get("required").([]any)
	for _, name := range list {
		if name, ok := name.(string); ok {
			s.add(name)
		}
	}
	return s
}

// declared returns the names of the properties of an object, and others that it requires.
func declared(o *object, required *set) *set {
	s := new(set)
	for _, name := range members(child(o, "properties")) {
		s.add(name)
	}
	for _, name := range required.names {
		s.add(name)
	}
	return s
}

// handled lists the keywords that others ignores.
var handled = []string{
	"type", "$ref", "$defs", "$id", "$anchor", "$dynamicAnchor", "const", "enum", "pattern", "format", "contentEncoding", "minimum", "exclusiveMinimum", "minLength",
	"minItems", "minProperties", "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "default", "x-mcp-header",
	"properties", "required", "additionalProperties", "items", "propertyNames", "oneOf", "anyOf", "allOf", "prefixItems", "patternProperties", "definitions",
	"x-go-type", "x-go-min", "x-go-max", "x-go-minlen", "x-go-maxlen", "x-go-above", "x-go-below",
	"multipleOf", "x-go-multipleof", "uniqueItems", "x-go-oneof", "x-known", worded,
}

// others compares keywords that only directives can add. Their meaning is not known here, so any change may break
// callers.
func (c *comparer) others(path string, a, b *object) {
	for _, o := range []*object{a, b} {
		for _, k := range o.names {
			if slices.Contains(handled, k) || o == b && a.get(k) != nil || text(a.get(k)) == text(b.get(k)) {
				continue
			}
			c.report(path, narrower|wider, "%q changed from %s to %s", k, orNone(a, k), orNone(b, k)).cure("keep %q", k).forClient("see whether the client still fits, and regenerate")
		}
	}
}

func orNone(o *object, name string) string {
	if v, ok := o.values[name]; ok {
		return text(v)
	}
	return "none"
}
