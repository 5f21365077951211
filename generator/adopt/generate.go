package adopt

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/internal/harmless"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// GoFile is the file that [Generate] makes. It belongs to its authors from then on.
const GoFile = "tools.go"

// maxTools is how many tools are made of a server.
const maxTools = 2000

// Made is an annotated package.
type Made struct {
	Source []byte
	Tools  int
	Notes  []string // what no signature and no directive says, and why, each on one line
}

// Generate returns the annotated package that offers the tools of the newest revision of a recording.
func Generate(r *Recording, pkg string) (*Made, error) {
	if !token.IsIdentifier(pkg) || pkg == "_" {
		return nil, fmt.Errorf("want an identifier as the name of the package, got %q", pkg)
	}
	rev := &r.Revisions[len(r.Revisions)-1]
	settled, left := rev.contract().Settle()
	g := &generation{
		types: map[string]string{}, active: map[string]bool{},
		taken: map[string]bool{}, // no other name of the package has Args or Result in it, as those of types do
	}
	for _, l := range left {
		g.notes = append(g.notes, harmless.Line(cut(l.Error(), 2*maxShown)))
	}
	made := &Made{}
	methods := map[string]bool{"Old": true}
	for i := range settled.Tools {
		t := &settled.Tools[i]
		switch {
		case !toolName.MatchString(t.Name):
			g.tool = t.Name
			g.note("", "it is left out: a tool is called by 1 to 128 of the characters A-Z a-z 0-9 _ . -")
			continue
		case made.Tools == maxTools:
			return nil, fmt.Errorf("want at most %d tools, got %d", maxTools, len(settled.Tools))
		}
		made.Tools++
		g.method(t, unique(methods, goname.Camel(t.Name), "Tool"))
	}
	seen := map[string]bool{}
	for _, older := range slices.Backward(r.Revisions) {
		for i := range older.Tools {
			if name := older.Tools[i].Name; !seen[name] && rev.tool(name) == nil {
				g.tool = name
				g.note("", "it is left out: it is offered through "+older.Revision+" alone")
				seen[name] = true
			}
		}
	}
	g.others(settled, rev)
	source, err := format.Source(g.source(pkg, rev))
	if err != nil {
		return nil, fmt.Errorf("adopt: %w", err)
	}
	made.Source, made.Notes = source, g.notes
	return made, nil
}

// toolName matches the names of tools that mcpgen tools accepts.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// A generation holds what is known while a package is made.
type generation struct {
	tool    string // being made
	methods bytes.Buffer
	decls   bytes.Buffer
	words   bytes.Buffer      // cases of Describe
	types   map[string]string // names, by what the types are
	active  map[string]bool   // schemas of types being made
	taken   map[string]bool
	notes   []string
	json    bool // encoding/json is used
	defs    map[string]any
	parts   int
}

// note records what the tool lacks.
func (g *generation) note(path, why string) {
	if path != "" {
		path += ": "
	}
	if len(g.notes) < maxDifferences {
		g.notes = append(g.notes, harmless.Line("tool "+short(g.tool)+": "+cut(path, 2*maxShown)+cut(why, 2*maxShown)))
	}
}

// others notes what is no tool.
func (g *generation) others(c *client.Contract, rev *Revision) {
	for _, p := range c.Prompts {
		g.notes = append(g.notes, "prompt "+line(p.Name)+": write a function with //mcp:prompt for it")
	}
	for _, r := range rev.Resources {
		g.notes = append(g.notes, "resource "+line(r.URI)+": write a function with //mcp:resource for it")
	}
	for _, r := range c.ResourceTemplates {
		g.notes = append(g.notes, "resource template "+line(r.URITemplate)+": write a function with //mcp:resource for it")
	}
}

// source returns the file, before it is formatted.
func (g *generation) source(pkg string, rev *Revision) []byte {
	var b bytes.Buffer
	info := rev.Info
	if info == nil {
		info = &mcp.Implementation{}
	}
	fmt.Fprintf(&b, "// Package %s has the tools of a server that was adopted by mcpgen.\n//\n//mcp:server", pkg)
	for _, a := range [][2]string{{"name", clean(info.Name)}, {"version", clean(info.Version)}, {"title", clean(info.Title)}, {"description", clean(info.Description)}, {"website", string(info.WebsiteURL)}} {
		if a[0] == "name" && a[1] == "" {
			a[1] = pkg
		}
		if a[1] != "" && !(a[0] == "website" && !plainURL.MatchString(a[1])) {
			b.WriteString(" " + argument(a[0], a[1]))
		}
	}
	b.WriteByte('\n')
	long := rev.Instructions != "" && !isLine(rev.Instructions)
	if rev.Instructions != "" && !long {
		b.WriteString("//mcp:desc " + rev.Instructions + "\n")
	}
	fmt.Fprintf(&b, "package %s\n\nimport (\n\"context\"\n", pkg)
	if g.json {
		b.WriteString("\"encoding/json\"\n")
	}
	b.WriteString(`"fmt"

"github.com/mcpgen/mcpgen/mcp"
"github.com/mcpgen/mcpgen/runtime/client"
"github.com/mcpgen/mcpgen/runtime/server"
"github.com/mcpgen/mcpgen/runtime/wire"
)

` + "//go:generate go tool mcpgen tools" + `

// Tools has a method for each tool.
type Tools struct {
	// Old calls the server from before. As long as a method is not filled in, it responds for it, with the arguments as they
	// were sent, once these are valid. The context has the function for its progress, if the client wants to know: see
	// client.WithProgress.
	Old func(ctx context.Context, tool string, args wire.Raw) (*mcp.CallToolResult, error)
}

// old responds to a call by the server from before.
func (t *Tools) old(ctx context.Context, call *server.Call) error {
	var params mcp.CallToolRequestParams
	if err := wire.Decode(call.Params(), &params); err != nil {
		return err
	}
	if t.Old == nil {
		return fmt.Errorf("the tool %s is not written yet", params.Name)
	}
	if progress := call.Progress(); progress != nil {
		ctx = client.WithProgress(ctx, func(r *mcp.ProgressNotificationParams) { progress.Report(r.Progress, r.GetTotal(), r.Message) })
	}
	result, err := t.Old(ctx, params.Name, params.Arguments)
	if err != nil {
		return err
	}
	return call.Respond(result)
}
`)
	b.WriteString("\n// Instructions are those of the server: they belong in server.Options.\nconst Instructions = " + strconv.Quote(rev.Instructions) + "\n")
	if long {
		g.notes = append(g.notes, "instructions: they have several lines: server.Options.Instructions = Instructions")
	}
	if rev.Capabilities != nil && rev.Capabilities.Logging != nil {
		g.notes = append(g.notes, "capabilities: the server sends its log to clients: server.Options.Logging = true")
	}
	b.Write(g.methods.Bytes())
	b.Write(g.decls.Bytes())
	b.WriteString("\n// Describe gives tools the descriptions that are not one line: it belongs into server.Options, as Define.\nfunc Describe(item any) {\n")
	if g.words.Len() > 0 {
		b.WriteString("t, ok := item.(*mcp.Tool)\nif !ok {\nreturn\n}\nswitch t.Name {\n")
		b.Write(g.words.Bytes())
		b.WriteString("}\n")
		g.notes = append(g.notes, "descriptions that are not one line are in Describe: server.Options.Define = Describe")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

var plainURL = regexp.MustCompile(`^https?://[!-~]+$`)

// method writes the method of a tool, and its types.
func (g *generation) method(t *mcp.Tool, name string) {
	g.tool = t.Name
	b := &g.methods
	root := g.root("input", t.InputSchema)
	args, open := g.arguments(root, name)
	b.WriteByte('\n')
	if t.Description != "" { // else the comment would be one
		fmt.Fprintf(b, "// %s is the tool %s.\n//\n", name, t.Name)
	}
	b.WriteString("//mcp:tool")
	g.hints(t, open)
	b.WriteByte('\n')
	if title := titleOf(t); title != "" {
		if isLine(title) {
			b.WriteString("//mcp:title " + title + "\n")
		} else {
			g.note("title", "it is not one line")
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
	if isLine(t.Description) && !slices.Contains([]string{"ctx", "call", "args"}, strings.Fields(t.Description)[0]) {
		b.WriteString("//mcp:desc " + t.Description + "\n")
	} else if t.Description != "" {
		fmt.Fprintf(&g.words, "case %q:\nt.Description = %s\n", t.Name, strconv.Quote(t.Description))
		if first = clean(first); first != "" && !slices.Contains([]string{"ctx", "call", "args"}, strings.Fields(first)[0]) {
			b.WriteString("//mcp:desc " + first + "\n")
		}
	}
	g.extras(t)
	result, zero := "*mcp.CallToolResult", "nil"
	if t.OutputSchema != nil {
		if out := g.output(g.root("output", t.OutputSchema), name); out != "" {
			result = "*server.Result[" + out + "]"
		}
	}
	if args != "" {
		args = ", args " + args
	}
	fmt.Fprintf(b, "func (t *Tools) %s(ctx context.Context, call *server.Call%s) (%s, error) {\nreturn %s, t.old(ctx, call)\n}\n", name, args, result, zero)
}

// hints writes the flags and keys of a tool.
func (g *generation) hints(t *mcp.Tool, open bool) {
	b := &g.methods
	b.WriteString(" name=" + t.Name)
	if a := t.Annotations; a != nil {
		for _, h := range []struct {
			hint    *bool
			yes, no string
		}{{a.ReadOnlyHint, "readonly", ""}, {a.DestructiveHint, "destructive", "nondestructive"}, {a.IdempotentHint, "idempotent", ""}, {a.OpenWorldHint, "openworld", "closedworld"}} {
			flag := h.no
			if h.hint != nil && *h.hint {
				flag = h.yes
			}
			if h.hint != nil && flag != "" && !(is(a.ReadOnlyHint) && flag != "readonly" && !strings.HasSuffix(flag, "world")) {
				b.WriteString(" " + flag)
			}
		}
	}
	if open {
		b.WriteString(" open")
	}
	if s := t.Execution.GetTaskSupport(); s == mcp.ToolExecutionTaskSupportOptional || s == mcp.ToolExecutionTaskSupportRequired {
		g.note("execution", "calls may run as tasks: write task="+string(s)+" where the server has taskserver.Enable")
	}
}

func is(hint *bool) bool { return hint != nil && *hint }

func titleOf(t *mcp.Tool) string {
	if t.Title == "" && t.Annotations != nil {
		return t.Annotations.Title
	}
	return t.Title
}

// extras writes icons and metadata.
func (g *generation) extras(t *mcp.Tool) {
	for _, icon := range t.Icons {
		if !strings.HasPrefix(icon.Src, "https://") && !strings.HasPrefix(icon.Src, "data:") || !isLine(icon.Src) || strings.ContainsAny(icon.Src, " \"`") {
			g.note("icons", "a source is neither an https URL nor data")
			continue
		}
		g.methods.WriteString("//mcp:icon " + icon.Src)
		if icon.MIMEType != "" {
			g.methods.WriteString(" " + argument("mime", clean(icon.MIMEType)))
		}
		if len(icon.Sizes) > 0 {
			g.methods.WriteString(" " + argument("sizes", list(icon.Sizes)))
		}
		if icon.Theme != "" {
			g.methods.WriteString(" " + argument("theme", clean(string(icon.Theme))))
		}
		g.methods.WriteByte('\n')
	}
	if meta := treeOf(t)["_meta"]; meta != nil {
		g.methods.WriteString("//mcp:meta " + harmless.Line(string(encode(meta))) + "\n")
	}
	for _, m := range t.Extra {
		g.note(m.Name, "no directive says it")
	}
}

// root returns a schema, nil if it is none. Its references are from now on to its definitions.
func (g *generation) root(part string, schema wire.Raw) map[string]any {
	g.parts = 0
	tree, _ := decode(schema)
	s, ok := tree.(map[string]any)
	if !ok {
		g.note(part, "it is no JSON Schema")
		return nil
	}
	g.defs = s
	return s
}

// rootWords are the keywords of the schema of arguments, or of a result, that its type and its properties say.
var rootWords = []string{"type", "properties", "required", "additionalProperties", "$schema", "$defs", "definitions", "$id"}

// arguments returns the type of the arguments of a tool, empty if it takes none, and whether there may be unknown ones.
func (g *generation) arguments(root map[string]any, name string) (args string, open bool) {
	at := place{path: "input", name: name + "Args"}
	for _, k := range sorted(root) {
		if !slices.Contains(rootWords, k) {
			g.note("input", k+" of all arguments: no signature says it")
		}
	}
	open = root["additionalProperties"] != false
	if _, is := root["additionalProperties"].(map[string]any); is {
		g.note("input", "the schema of unknown arguments: no signature says it")
	}
	if !g.fields(root, at) {
		return "", open
	}
	return g.structType(root, at, false), open
}

// output returns the type of the structured content of a tool, empty if no type has its schema.
func (g *generation) output(root map[string]any, name string) string {
	if root["$ref"] != nil && len(root) <= 3 {
		if to := g.resolve(root); to != nil {
			root = to
		}
	}
	at := place{path: "output", name: name + "Result", out: true}
	if root["type"] != "object" {
		g.note("output", "a schema of objects alone can be that of a result")
		return ""
	}
	for _, k := range sorted(root) {
		if !slices.Contains(rootWords, k) && k != "description" {
			g.note("output", k+" of the result: no signature says it")
		}
	}
	if root["properties"] == nil {
		return "map[string]" + g.typeOf(root["additionalProperties"], at.under("Value", "additionalProperties")).expr
	}
	if !g.fields(root, at) {
		return "map[string]any"
	}
	return g.structType(root, at, true)
}

// fields notes what a struct cannot say about its members, and reports whether it has any.
func (g *generation) fields(s map[string]any, at place) (some bool) {
	properties, _ := s["properties"].(map[string]any)
	for _, name := range names(s["required"]) {
		if _, declared := properties[name]; !declared {
			g.note(at.path, "it requires "+short(name)+", which it does not declare")
		}
	}
	for _, name := range sorted(properties) {
		if isKey(name) {
			some = true
		} else {
			g.note(at.path, fmt.Sprintf("%q is left out: it cannot be the name of a field", short(name)))
		}
	}
	if at.out && s["additionalProperties"] == false {
		g.note(at.path, "results may have further members: a later server may add to them")
	}
	return some
}

// isKey reports whether a json tag can have a name.
func isKey(name string) bool {
	return utf8.RuneCountInString(name) <= maxKey && jsonKey.MatchString(name)
}

// maxKey is how many characters a name has. The pattern does not say so: it would take a hundredth of a second to compile.
const maxKey = 128

// jsonKey matches the names of members that mcpgen tools accepts, if they are not too long.
var jsonKey = regexp.MustCompile(`^[\pL_$][\pL\pN_$.-]*$`)

// unique returns a name that is free, and takes it.
func unique(taken map[string]bool, name, none string) string {
	if name == "" {
		name = none
	}
	if len(name) > maxShown {
		name = name[:maxShown]
		for !token.IsIdentifier(name) {
			name = name[:len(name)-1]
		}
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = name + strconv.Itoa(n)
	}
	taken[free] = true
	return free
}

// isLine reports whether a text can be the rest of a directive, as it is.
func isLine(text string) bool {
	return text != "" && harmless.Line(text) == text && strings.TrimSpace(text) == text && !strings.ContainsAny(text, "\n\r\t")
}

// clean returns a text that can be the rest of a directive.
func clean(text string) string { return harmless.Line(strings.Join(strings.Fields(text), " ")) }

// argument returns an argument of a directive.
func argument(key, value string) string {
	text := key + "=" + value
	if value == "" || strings.ContainsAny(text, " \"`\\") || strconv.Quote(text) != `"`+text+`"` {
		return strconv.QuoteToGraphic(text)
	}
	return text
}

// list returns values as a directive has them, with commas between them.
func list(values []string) string {
	escape := strings.NewReplacer(`,`, `\,`, `\`, `\\`)
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = escape.Replace(v)
	}
	return strings.Join(out, ",")
}
