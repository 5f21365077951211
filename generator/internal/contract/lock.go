package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/harmless"
)

// version is the version of the format of lock files. In version 2, the enums of results had no other values. Until
// version 3, all objects of results were closed. Files may have digests of descriptions, which are not read.
const version = 4

// Format returns the lock file with the contract: JSON with the tools, prompts and resources in order
// of their names, the same bytes for the same contract.
func (c *Contract) Format() []byte {
	root := &object{}
	root.set("version", json.Number(strconv.Itoa(version)))
	section(root, "tools", c.Tools, (*Tool).object)
	section(root, "prompts", c.Prompts, (*Prompt).object)
	section(root, "resources", c.Resources, (*Resource).object)
	var b strings.Builder
	print(&b, shorter(root), 0, 3, map[*object]bool{})
	b.WriteByte('\n')
	return []byte(b.String())
}

func (t *Tool) object() *object {
	o := &object{}
	setWords(o, "promises", t.Promises)
	setWords(o, "demands", t.Demands)
	t.set(o)
	o.set("input", t.input)
	if t.output != nil {
		o.set("output", t.output)
	}
	if t.Result != "" {
		o.set("result", t.Result)
	}
	return o
}

func (p *Prompt) object() *object {
	o := &object{}
	p.set(o)
	o.set("arguments", p.arguments)
	o.set("result", p.Result)
	return o
}

func (r *Resource) object() *object {
	o := &object{}
	o.set("name", r.Name)
	setText(o, "mimeType", r.MIMEType)
	r.set(o)
	if r.variables != nil {
		o.set("variables", r.variables)
	}
	o.set("result", r.Result)
	if r.output != nil {
		o.set("output", r.output)
	}
	return o
}

func (a *Access) set(o *object) {
	setWords(o, "scopes", a.Scopes)
	setWords(o, "needs", a.Needs)
	setText(o, "minRevision", a.MinRevision)
}

// An Entry is a tool, prompt or resource of a contract.
type Entry struct {
	Kind string // tool, prompt or resource
	Name string // or the URI
	Text string // what the lock file holds of it
}

// Entries returns the entries in order: tools, prompts, resources, each by name.
func (c *Contract) Entries() []Entry {
	return slices.Concat(entries("tool", c.Tools, (*Tool).object), entries("prompt", c.Prompts, (*Prompt).object),
		entries("resource", c.Resources, (*Resource).object))
}

func entries[V any](kind string, all map[string]V, entry func(V) *object) (list []Entry) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var b strings.Builder
		print(&b, shorter(entry(all[name])), 0, 1, map[*object]bool{})
		list = append(list, Entry{kind, name, b.String() + "\n"})
	}
	return list
}

func section[V any](root *object, name string, entries map[string]V, entry func(V) *object) {
	if len(entries) == 0 {
		return
	}
	o := &object{}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		o.set(key, entry(entries[key]))
	}
	root.set(name, o)
}

// Parse reads a lock file. Its errors begin with the name of the file, and say what is wrong with
// files that were edited by hand, or have the marks of a merge in them.
func Parse(file string, data []byte) (*Contract, error) {
	if err := refuseConflict(file, data, "mcpgen tools"); err != nil {
		return nil, err
	}
	v, err := decode(file, data)
	if err != nil {
		return nil, err
	}
	p := &parser{file: file}
	c := New()
	root := p.object("", v, "version", "tools", "prompts", "resources")
	if err := refuseVersion(file, root); p.err == nil && err != nil {
		return nil, err
	}
	c.closed = root.get("version") != json.Number(strconv.Itoa(version))
	p.entries(root, "tools", []string{"description", "promises", "demands", "scopes", "needs", "minRevision", "input", "result", "output"}, func(path, name string, o *object) {
		t := &Tool{input: p.schema(path+".input", o.get("input"))}
		if out := o.get("output"); out != nil {
			t.output = p.schema(path+".output", out)
		}
		t.Promises = p.words(path+".promises", o.get("promises"), Promises)
		t.Demands = p.words(path+".demands", o.get("demands"), Demands)
		t.Access = p.access(path, o)
		content := ContentResult
		switch result := o.get("result"); {
		case t.output == nil:
			t.Result = p.word(path+".result", result, toolResults)
		case result == content:
			t.Result = content
		case result != nil:
			p.fail(path+".result", "want %q or nothing beside an output, got %s", content, text(result))
		}
		c.Tools[name] = t
	})
	p.entries(root, "prompts", []string{"description", "scopes", "needs", "minRevision", "arguments", "result"}, func(path, name string, o *object) {
		c.Prompts[name] = &Prompt{
			arguments: p.schema(path+".arguments", o.get("arguments")), Access: p.access(path, o), Result: p.word(path+".result", o.get("result"), promptResults),
		}
	})
	p.entries(root, "resources", []string{"name", "description", "mimeType", "scopes", "needs", "minRevision", "variables", "result", "output"}, func(path, name string, o *object) {
		r := &Resource{Name: p.str(path+".name", o.get("name"))}
		r.MIMEType = p.optional(path+".mimeType", o.get("mimeType"))
		r.Access = p.access(path, o)
		if vars := o.get("variables"); vars != nil {
			r.variables = p.schema(path+".variables", vars)
		}
		r.Result = p.word(path+".result", o.get("result"), resourceResults)
		if r.Result == JSONResult {
			r.output = p.anySchema(path+".output", o.get("output"))
		}
		c.Resources[name] = r
	})
	if p.err != nil {
		return nil, p.err
	}
	if root.get("version") == json.Number("2") { // enums of results had no other values, and now may have
		c.openResults()
	}
	return c, nil
}

// withClosedResults returns the contract as it would be if no object of a result had members that are not declared. So is
// a contract compared with one from when all were closed: that they are open changes nothing for callers until there is
// such a member.
func (c *Contract) withClosedResults() *Contract {
	if c.closed {
		return c
	}
	closed := &Contract{map[string]*Tool{}, c.Prompts, map[string]*Resource{}, true}
	for name, t := range c.Tools {
		copy := *t
		copy.output = closedSchema(t.output)
		closed.Tools[name] = &copy
	}
	for uri, r := range c.Resources {
		copy := *r
		copy.output = closedSchema(r.output)
		closed.Resources[uri] = &copy
	}
	return closed
}

// closedSchema returns a generated schema of results with closed objects.
func closedSchema(s *object) *object {
	if s == nil {
		return nil
	}
	v, err := decode("schema", []byte(text(s)))
	if err != nil {
		panic(err) // it was a schema
	}
	walk(nil, v, func(_ *place, s any) {
		if o, ok := s.(*object); ok && o.get("type") == "object" && o.get("oneOf") == nil && o.get("$ref") == nil && o.values["additionalProperties"] == nil {
			o.set("additionalProperties", false)
		}
	})
	return v.(*object)
}

// openResults turns the enums of results into lists of known values, in files from before results could have other
// values.
func (c *Contract) openResults() {
	open := func(_ *place, s any) {
		if o, _ := s.(*object); o.get("enum") != nil {
			o.set("x-known", o.get("enum"))
			o.remove("enum")
		}
	}
	for _, t := range c.Tools {
		if t.output != nil {
			walk(nil, t.output, open)
		}
	}
	for _, r := range c.Resources {
		if r.output != nil {
			walk(nil, r.output, open)
		}
	}
}

// refuseVersion refuses files of other versions of mcpgen.
func refuseVersion(file string, root *object) error {
	switch got, _ := root.get("version").(json.Number); got {
	case json.Number(strconv.Itoa(version)), "2", "3":
		return nil
	case "":
		return fmt.Errorf("%s: it has no version: it is no lock file of mcpgen", file)
	case "1":
		return fmt.Errorf("%s: an older mcpgen wrote it, which did not record all that callers depend on: remove it, and run mcpgen tools", file)
	default:
		return fmt.Errorf("%s: its version is %s, and this mcpgen knows 2 to %d: use the mcpgen that wrote it", file, got, version)
	}
}

// refuseConflict refuses files with the marks that version control leaves after a conflict.
func refuseConflict(file string, data []byte, command string) error {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		for _, mark := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(line, []byte(mark)) {
				return fmt.Errorf("%s:%d: a conflict of a merge (%s): take the file of either side, then run %s, which adds what the other side added",
					file, n, mark, command)
			}
		}
	}
	return nil
}

// A parser checks the form of a lock file. It keeps the first mistake.
type parser struct {
	file string
	err  error
}

func (p *parser) fail(path, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s: %s", p.file, shortened(path+": "+fmt.Sprintf(format, args...)))
	}
}

// failAt is fail with a place that is only formatted if this is the first mistake.
func (p *parser) failAt(at *place, format string, args ...any) {
	if p.err == nil {
		p.fail(at.String(), format, args...)
	}
}

// A printed value is written as text has it.
type printed struct{ value any }

func (p printed) String() string { return text(p.value) }

// shortened returns the beginning of a text that may be as long as a file, and may have been written by a stranger, on
// one line.
func shortened(s string) string {
	const most = 1000
	s = harmless.Line(s[:min(len(s), 2*most)])
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// object checks that a value is an object with members of these names; all, if there are none.
func (p *parser) object(path string, v any, members ...string) *object {
	where := path
	if where == "" {
		where = "the file"
	}
	o, ok := v.(*object)
	if !ok {
		p.fail(where, "want an object")
		return nil
	}
	for _, name := range o.names {
		if len(members) > 0 && !slices.Contains(members, name) {
			p.fail(where, "unknown member %q; known: %s", name, strings.Join(members, ", "))
		}
	}
	return o
}

// entries calls entry with each object of a section, which a file may lack. Entries that are no objects, or have other members
// than these, are mistakes that the parser keeps; the others are read all the same, so that all mistakes are found at once.
func (p *parser) entries(root *object, section string, members []string, entry func(path, name string, o *object)) {
	if root.get(section) == nil {
		return
	}
	all := p.object(section, root.get(section))
	if all == nil {
		return
	}
	for _, name := range all.names {
		path := section + "." + name
		if o := p.object(path, all.values[name], members...); o != nil {
			entry(path, name, o)
		}
	}
}

func (p *parser) str(path string, v any) string {
	s, ok := v.(string)
	if !ok {
		p.fail(path, "want a string")
	}
	return s
}

// optional is str for a member that may be absent.
func (p *parser) optional(path string, v any) string {
	if v == nil {
		return ""
	}
	return p.str(path, v)
}

// schema checks what the comparison relies on: that it is the schema of an object, that keywords with
// schemas in them have schemas, and that references lead somewhere.
func (p *parser) schema(path string, v any) *object {
	if v == nil {
		p.fail(path, "missing")
		return nil
	}
	o, _ := v.(*object)
	if o.get("type") != "object" {
		p.fail(path, `want a schema with "type": "object"`)
		return nil
	}
	return p.anySchema(path, o)
}

// anySchema is schema for any value, or any object.
func (p *parser) anySchema(path string, v any) *object {
	o, ok := v.(*object)
	if !ok {
		p.fail(path, "want a schema")
		return nil
	}
	root := &place{name: path}
	walk(root, o, func(at *place, s any) {
		o, ok := s.(*object)
		if _, isBool := s.(bool); !ok && !isBool {
			p.failAt(at, "want a schema")
			return
		}
		for _, k := range members(o) {
			if suits := keywords[k]; suits != nil && !suits(o.values[k]) {
				p.failAt(at, "%q cannot be %s", k, printed{o.values[k]})
			}
		}
	})
	if p.err != nil {
		return o
	}
	walk(root, o, func(at *place, s any) {
		if o, ok := s.(*object); ok {
			o.remove(worded)
			widen(o)
			sortSchema(o)
		}
		if ref, ok := s.(*object); ok && ref.get("$ref") != nil && resolve(o, ref) == nil {
			p.failAt(at, "$ref %s leads nowhere", printed{ref.get("$ref")})
		}
	})
	return o
}

// word reads one of the known kinds of results.
func (p *parser) word(path string, v any, known []string) string {
	s, _ := v.(string)
	if v == nil {
		p.fail(path, "missing; known: %s", strings.Join(known, ", "))
	} else if !slices.Contains(known, s) {
		p.fail(path, "%s is none; known: %s", text(v), strings.Join(known, ", "))
	}
	return s
}

// setText sets a member to a text, if there is one.
func setText(o *object, name, text string) {
	if text != "" {
		o.set(name, text)
	}
}

// setWords sets a member to a list of words, if there are any.
func setWords(o *object, name string, words []string) {
	if len(words) == 0 {
		return
	}
	var list []any
	for _, w := range words {
		list = append(list, w)
	}
	o.set(name, list)
}

// access reads an Access.
func (p *parser) access(path string, o *object) Access {
	return Access{
		p.scopes(path+".scopes", o.get("scopes")), p.scopes(path+".needs", o.get("needs")), p.optional(path+".minRevision", o.get("minRevision")),
	}
}

// scopes reads a list of scopes.
func (p *parser) scopes(path string, v any) []string {
	list, ok := v.([]any)
	if !ok && v != nil {
		p.fail(path, "want an array")
	}
	var scopes []string
	for _, x := range list {
		if s, _ := x.(string); s == "" {
			p.fail(path, "%s is no scope; want a string", text(x))
		} else {
			scopes = append(scopes, s)
		}
	}
	return slices.Compact(sorted(scopes))
}

// words reads a list of known words.
func (p *parser) words(path string, v any, known []string) []string {
	list, ok := v.([]any)
	if !ok && v != nil {
		p.fail(path, "want an array")
	}
	var words []string
	for _, x := range list {
		s, _ := x.(string)
		if !slices.Contains(known, s) {
			p.fail(path, "%s is none; known: %s", text(x), strings.Join(known, ", "))
		}
		words = append(words, s)
	}
	return words
}

// Line returns the line of a lock file at which the entry of a tool, prompt or resource begins; 0 if it has none.
func Line(file []byte, kind, name string) int { return Lines(file)(kind, name) }

// Lines is [Line] for several entries of a file.
func Lines(file []byte) func(kind, name string) int {
	n, section := 0, ""
	lines := make(map[[2]string]int)
	for line := range strings.Lines(string(file)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		key := [2]string{section, line}
		switch {
		case strings.HasPrefix(line, `  "`) && strings.HasSuffix(line, `s": {`):
			section = line
		case strings.HasPrefix(line, "  }"):
			section = ""
		case strings.HasPrefix(line, `    "`) && lines[key] == 0:
			lines[key] = n
		}
	}
	return func(kind, name string) int {
		return lines[[2]string{`  "` + kind + `s": {`, "    " + text(name) + ": {"}]
	}
}
