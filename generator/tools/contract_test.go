package tools

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/generator/tools/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
	"github.com/mcpgen/mcpgen/generator/tools/internal/terms"
	"github.com/mcpgen/mcpgen/internal/testenv"
)

// The tests here hold contracts to what code can enforce: for each constraint that a directive can
// state, each kind of type and each kind of result there is, a change must show in the contract.

// A bench analyzes one package after the other.
type bench struct {
	t     *testing.T
	on    *caseImporter
	known map[string]*ir.Package // by source
}

func newBench(t *testing.T) *bench {
	c := newImporter(t)
	return &bench{t, c, make(map[string]*ir.Package)}
}

// analyze returns what a source offers, nil if it is refused.
func (b *bench) analyze(src string) *ir.Package {
	b.t.Helper()
	src = declared(src)
	if known, ok := b.known[src]; ok {
		return known
	}
	const path = "example.com/p"
	var head strings.Builder
	head.WriteString("package p\n")
	for _, name := range []string{"encoding/json", "iter", "math/big", "net/netip", "net/url", "time", "github.com/mcpgen/mcpgen/mcp", "github.com/mcpgen/mcpgen/runtime/wire"} {
		if short := name[strings.LastIndexByte(name, '/')+1:]; strings.Contains(src, short+".") {
			fmt.Fprintf(&head, "import %q\n", name)
		}
	}
	b.on.files[path] = []txtar.File{{Name: "/a.go", Data: []byte(head.String() + src)}}
	syntax, pkg, info, errs := b.on.check(path)
	if len(errs) > 0 {
		b.t.Fatalf("%v\n%s", errs, src)
	}
	p, problems := analyze.Package(&source.Package{Files: syntax, Types: pkg, Info: info, Dir: "/", Module: path, Sources: source.NewFiles(b.on.fset, nil, nil)})
	if len(problems) > 0 {
		p = nil
	}
	b.known[src] = p
	return p
}

// compare returns what changes from one package to the next, and whether that breaks callers.
func compare(from, to *ir.Package) (changes string, breaking bool) {
	for _, c := range contract.Compare(terms.Of(from), terms.Of(to)) {
		changes += c.String() + "\n"
		breaking = breaking || c.Breaking
	}
	return changes, breaking
}

// contractTypes are types of all kinds, by how a field is declared. No two of them take the same JSON, but
// for those in sameJSON.
var contractTypes = []string{
	"bool", "int8", "int64", "uint8", "uint64", "float32", "float64", "string", "Word", "Level",
	"[]byte", "time.Time", "time.Duration", "url.URL", "big.Int", "json.Number", "json.RawMessage", "any",
	"netip.Addr", "netip.Prefix", "One", "Two", "Text",
	"[]int8", "[]int16", "[]string", "[]time.Duration", "[][]byte", "[]json.Number", "[][]string", "[2]int8", "[3]int8",
	"map[string]string", "map[string][]string",
	"map[string]int8", "map[int8]int8", "map[int16]int8", "map[uint8]int8", "map[netip.Addr]int8", "map[netip.Prefix]int8", "map[Word]int8", "map[Level]int8",
	"Point", "Open", "Shape", "Tree", "Link", "*int8", "*Point", "wire.Option[int8]", "wire.Option[Point]", "Mixed", "Toggle",
	"bool `json:\",string\"`", "int8 `json:\",string\"`", "int16 `json:\",string\"`", "uint8 `json:\",string\"`",
	"float32 `json:\",string\"`", "float64 `json:\",string\"`",
}

// sameJSON are pairs of types between which callers see no difference.
var sameJSON = [][2]string{
	{"float64", "json.Number"},
	{"any", "json.RawMessage"}, // but for numbers beyond double precision and members that occur twice
}

// contractDecls declare the types above, by their names.
var contractDecls = map[string]string{
	"Word":   "type Word string\nconst (\nBig Word = \"big\"\nSmall Word = \"small\"\n)\n",
	"Level":  "type Level int\nconst (\nLow Level = 1\nHigh Level = 2\n)\n",
	"One":    reader("One", "JSON"), // and Two read the same schema in their own ways
	"Two":    reader("Two", "JSON"),
	"Text":   reader("Text", "Text"),
	"Point":  "type Point struct{ X, Y int8 }\n",
	"Open":   "//mcp:schema open\ntype Open struct{ X, Y int8 }\n",
	"Shape":  "type Shape interface{ shape() }\ntype Circle struct{ R int8 }\nfunc (Circle) shape() {}\ntype Square struct{ Side int8 }\nfunc (Square) shape() {}\n",
	"Mixed":  "type Mixed interface{ mixed() }\ntype Letters string\nfunc (Letters) mixed() {}\ntype Number int8\nfunc (Number) mixed() {}\n",
	"Toggle": "type Toggle interface{ toggle() }\ntype Switch bool\nfunc (Switch) toggle() {}\ntype Dial int8\nfunc (Dial) toggle() {}\n",
	"Tree":   "type Tree struct{ Children []Tree }\n",
	"Link":   "type Link struct{ Next *Link }\n",
}

// reader declares a type that reads strings by a method of its own.
func reader(name, method string) string {
	return fmt.Sprintf("//mcp:schema {\"type\":\"string\"}\ntype %[1]s struct{}\nfunc (*%[1]s) Unmarshal%[2]s([]byte) error { return nil }\nfunc (%[1]s) Marshal%[2]s() ([]byte, error) { return nil, nil }\n", name, method)
}

// declared returns a source with the declarations that it needs.
func declared(source string) string {
	for _, name := range slices.Sorted(maps.Keys(contractDecls)) {
		if strings.Contains(source, name) && !strings.Contains(source, "type "+name+" ") {
			source += contractDecls[name]
		}
	}
	return source
}

// field returns a package with a tool that takes, or returns, a struct with one field.
func field(typ, notes string, returned bool) string {
	source := "type Args struct {\n" + notes + "V " + typ + "\n}\n//mcp:tool\n"
	if returned {
		return source + "func F() (a Args) { return a }\n"
	}
	return source + "func F(a Args) {}\n"
}

// TestContractSeesTypes changes each type into each other one.
func TestContractSeesTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("it analyzes many packages, which -short does without")
	}
	b := newBench(t)
	kinds := make(map[ir.Kind]bool)
	for _, returned := range []bool{false, true} {
		packages := make(map[string]*ir.Package)
		for _, typ := range contractTypes {
			p := b.analyze(field(typ, "", returned))
			if p == nil {
				t.Fatalf("%s is refused", typ)
			}
			packages[typ] = p
			if !returned {
				noteKinds(p.Tools[0].Input[0].Type, kinds)
			}
		}
		for i, one := range contractTypes {
			for _, other := range contractTypes[:i] {
				there, breaks := compare(packages[one], packages[other])
				back, breaksBack := compare(packages[other], packages[one])
				same := slices.Contains(sameJSON, [2]string{one, other}) || slices.Contains(sameJSON, [2]string{other, one})
				switch {
				case same && there+back != "":
					t.Errorf("returned=%v, %s and %s are said to be the same, but\n%s%s", returned, one, other, there, back)
				case !same && !breaks && !breaksBack && !(returned && isOpened(one, other)):
					t.Errorf("returned=%v, neither %s -> %s nor the contrary breaks callers:\n%s\n%s", returned, one, other, there, back)
				}
			}
		}
	}
	for k := ir.Bool; k < ir.Protocol; k++ {
		if !kinds[k] {
			t.Errorf("no type of kind %d is among contractTypes", k)
		}
	}
}

// isOpened reports whether two types differ in unknown members alone, or in values that are known, which those who
// read results pass over.
func isOpened(one, other string) bool {
	return slices.Contains([][2]string{{"Open", "Point"}, {"Word", "string"}, {"Level", "string"}, {"Level", "Word"}, {"Word", "Level"}, {"map[Word]int8", "map[string]int8"}}, [2]string{one, other})
}

// noteKinds notes the kinds of a type and its parts.
func noteKinds(t *ir.Type, kinds map[ir.Kind]bool) {
	kinds[t.Kind] = true
	for _, part := range []*ir.Type{t.Key, t.Elem} {
		if part != nil {
			noteKinds(part, kinds)
		}
	}
}

// A step is a change of what a directive says; tight takes less than loose.
type step struct {
	loose, tight string
	crossed      bool // neither takes all of the other
	sentOnly     bool // it says nothing of results
}

// contractSteps are changes of each flag and key of //mcp:param, in forms for all types that have it.
var contractSteps = map[string][]step{
	"optional": {{loose: "optional", sentOnly: true}},
	"required": {{tight: "required", sentOnly: true}},
	"min":      {{loose: "min=1", tight: "min=2"}, {tight: "min=2"}, {loose: "min=1s", tight: "min=2s"}, {tight: "min=1s"}, {loose: "min=0.25", tight: "min=0.5"}},
	"max":      {{loose: "max=9", tight: "max=8"}, {tight: "max=8"}, {loose: "max=9s", tight: "max=8s"}, {tight: "max=8s"}, {loose: "max=1e2", tight: "max=9.5"}},
	"above":    {{loose: "above=1", tight: "above=2"}, {tight: "above=2"}, {loose: "above=1s", tight: "above=2s"}, {loose: "min=1s", tight: "above=1s"}, {loose: "min=0.25", tight: "above=0.25"}},
	"below":    {{loose: "below=9", tight: "below=8"}, {tight: "below=8"}, {loose: "max=9s", tight: "below=9s"}, {loose: "below=9.5", tight: "max=9.25"}},
	"unique":   {{tight: "unique"}},
	"multipleof": {
		{tight: "multipleof=2"}, {loose: "multipleof=2", tight: "multipleof=6"}, {loose: "multipleof=2", tight: "multipleof=3", crossed: true},
		{loose: "multipleof=0.01", tight: "multipleof=0.1"},
	},
	"minlen":  {{loose: "minlen=1", tight: "minlen=2"}, {tight: "minlen=1"}},
	"maxlen":  {{loose: "maxlen=6", tight: "maxlen=4"}, {tight: "maxlen=6"}},
	"pattern": {{tight: "pattern=^a"}, {loose: "pattern=^a", tight: "pattern=^b", crossed: true}},
	"format":  {{tight: "format=email"}, {loose: "format=ipv4", tight: "format=ipv6", crossed: true}},
	"enum":    {{loose: "enum=1,2,3", tight: "enum=1,2"}, {tight: "enum=1"}, {loose: "enum=big,small", tight: "enum=small"}, {tight: "enum=big"}, {loose: "enum=1,2", tight: "enum=1,3", crossed: true}},
	"header":  {{tight: "header=Region", sentOnly: true}, {loose: "header=Region", tight: "header=Zone", crossed: true, sentOnly: true}},
}

// ofKeys are what can be said of the keys of maps, too.
var ofKeys = []string{"minlen", "maxlen", "pattern", "format", "enum"}

// beyondContract are the flags and keys that no contract holds, and why.
var beyondContract = map[string]string{
	"param.default":      "what is left out means something else, which is shown but breaks nobody",
	"param.examples":     "words",
	"param.fields":       "the arguments are others",
	"result.examples":    "words",
	"param.name":         "the argument is another one",
	"tool.destructive":   "it is no promise",
	"tool.openworld":     "it is no promise",
	"tool.name":          "the tool is another one",
	"tool.instantiate":   "the types are others",
	"tool.timeout":       "it is for those who run a server",
	"tool.rate":          "it is for those who run a server",
	"tool.group":         "it is for those who run a server",
	"tool.feature":       "it is for those who run a server",
	"prompt.name":        "the prompt is another one",
	"prompt.group":       "it is for those who run a server",
	"prompt.feature":     "it is for those who run a server",
	"server.name":        "it is nothing that is called",
	"server.version":     "it is nothing that is called",
	"server.title":       "words",
	"server.register":    "callers do not see it",
	"server.open":        "it is tool.open of all tools",
	"resource.audience":  "words",
	"resource.priority":  "words",
	"icon.mime":          "words",
	"icon.sizes":         "words",
	"icon.theme":         "words",
	"app.file":           "it is shown by those who can; the tool returns what it did",
	"app.uri":            "the definition names it",
	"app.csp.connect":    "it is between the page and its host",
	"app.csp.resource":   "it is between the page and its host",
	"app.csp.frame":      "it is between the page and its host",
	"app.permissions":    "it is between the page and its host",
	"app.border":         "it is between the page and its host",
	"server.description": "words",
	"server.website":     "words",
	"server.prefix":      "the tools are others",
	"server.search":      "all tools can be called as before",
	"resource.group":     "it is for those who run a server",
	"resource.feature":   "it is for those who run a server",
	"resource.name":      "resources are read by URI, so that it is shown but breaks nobody",
	"schema.value":       "the arm is another one",
	"schema.for":         "it only says of which type the directive is",
	"publish.name":       "it is for those who install a server",
	"publish.image":      "it is for those who install a server",
	"publish.remote":     "it is for those who install a server",
	"publish.author":     "it is for those who install a server",
	"publish.license":    "it is for those who install a server",
	"publish.category":   "it is for those who install a server",
	"publish.platforms":  "it is for those who install a server",
	"config.secret":      "it is for those who run a server",
	"config.required":    "it is for those who run a server",
	"config.env":         "it is for those who run a server",
	"config.flag":        "it is for those who run a server",
	"config.default":     "it is for those who run a server",
	"config.enum":        "it is for those who run a server",
}

// TestContractSeesConstraints tightens and loosens each constraint of each type that can have it.
func TestContractSeesConstraints(t *testing.T) {
	testenv.Long(t)
	b := newBench(t)
	spec := directive.Lookup("param")
	var options []string
	add := func(name string, parts bool) {
		if options = append(options, name); parts {
			options = append(options, "items."+name, "values."+name)
		}
		if slices.Contains(ofKeys, name) {
			options = append(options, "keys."+name)
		}
	}
	for _, f := range spec.Flags {
		add(f.Name, f.Parts)
	}
	for _, k := range spec.Keys {
		add(k.Name, k.Parts)
	}
	for _, option := range options {
		if beyondContract["param."+option] != "" {
			continue
		}
		part, key := directive.CutParts(option)
		steps := contractSteps[key]
		seen := 0
		for _, typ := range contractTypes {
			for _, s := range steps {
				for _, returned := range []bool{false, true} {
					note := func(text string) string {
						if text == "" {
							return ""
						}
						if part != "" {
							text = part + "." + text
						}
						return "//mcp:param " + text + "\n"
					}
					if b.analyze(field(typ, note(cmp.Or(s.tight, s.loose)), false)) == nil {
						break // the type cannot have it
					}
					if option == "maxlen" && (strings.HasPrefix(typ, "map[Word]") || strings.HasPrefix(typ, "map[Level]")) {
						seen++
						break // there are two keys, fewer than any of the limits
					}
					loose, tight := b.analyze(field(typ, note(s.loose), returned)), b.analyze(field(typ, note(s.tight), returned))
					if loose == nil || tight == nil || returned && s.sentOnly || option == "required" && typ[0] != '*' || option == "optional" && typ[0] == '*' {
						continue // it has it already, or says nothing about results
					}
					seen++
					from, to := loose, tight
					if returned {
						from, to = tight, loose
					}
					if changes, breaking := compare(from, to); !breaking {
						t.Errorf("returned=%v, %s: %q and %q: the change does not break callers:\n%s", returned, typ, note(s.loose), note(s.tight), changes)
					}
					if changes, breaking := compare(to, from); changes == "" || breaking && !s.crossed {
						t.Errorf("returned=%v, %s: %q and %q: the contrary is not seen, or breaks callers:\n%s", returned, typ, note(s.loose), note(s.tight), changes)
					}
				}
			}
		}
		if seen == 0 {
			t.Errorf("nothing tries //mcp:param %s: add it to contractSteps, and what it enforces to contracts", option)
		}
	}
}

// TestContractSeesResults changes each kind of result into each other one.
func TestContractSeesResults(t *testing.T) {
	b := newBench(t)
	for _, group := range []struct {
		directive string
		kinds     int
		kind      func(p *ir.Package) int
		results   []string
		same      [2]string
	}{
		{
			directive: "tool", kinds: int(ir.StreamOutput) + 1, kind: func(p *ir.Package) int { return int(p.Tools[0].Output.Kind) },
			results: []string{"", "string", "[]mcp.ContentBlock", "*mcp.CallToolResult", "Point", "map[string]int8", "(a int8)", "(b int8)", "int8", "[]int8", "iter.Seq2[int8, error]"},
			same:    [2]string{"[]int8", "iter.Seq2[int8, error]"}, // but for progress on the way
		},
		{
			directive: "prompt", kinds: int(ir.PromptWhole) + 1, kind: func(p *ir.Package) int { return int(p.Prompts[0].Output) },
			results: []string{"string", "[]mcp.PromptMessage", "*mcp.GetPromptResult"},
		},
		{
			directive: "resource x://y mime=text/x", kinds: int(ir.ResourceWhole) + 1, kind: func(p *ir.Package) int { return int(p.Resources[0].Output) },
			results: []string{"string", "[]byte", "Point", "Open", "int8", "int16", "[]mcp.ResourceContents", "*mcp.ReadResourceResult"},
		},
	} {
		kinds := make(map[int]bool)
		var packages []*ir.Package
		for _, result := range group.results {
			p := b.analyze("//mcp:" + group.directive + "\nfunc F() " + result + " { panic(0) }\n")
			if p == nil {
				t.Fatalf("//mcp:%s does not take %s", group.directive, result)
			}
			kinds[group.kind(p)] = true
			packages = append(packages, p)
		}
		if len(kinds) != group.kinds {
			t.Errorf("//mcp:%s: %d of %d kinds of results are tried", group.directive, len(kinds), group.kinds)
		}
		for i, one := range packages {
			for j, other := range packages[:i] {
				there, breaks := compare(one, other)
				back, breaksBack := compare(other, one)
				same := group.same == [2]string{group.results[j], group.results[i]}
				if same && there+back != "" || !same && !breaks && !breaksBack && !isOpened(group.results[i], group.results[j]) {
					t.Errorf("//mcp:%s: %s and %s: %q %q", group.directive, group.results[i], group.results[j], there, back)
				}
			}
		}
		if nothing := packages[0]; group.results[0] == "" {
			for i, p := range packages[1:] {
				if _, breaking := compare(p, nothing); !breaking {
					t.Errorf("%s becomes nothing, which breaks nobody", group.results[i+1])
				}
			}
		}
	}
}

// TestContractSeesDirectives changes what else directives can say.
func TestContractSeesDirectives(t *testing.T) {
	b := newBench(t)
	tool := func(options string) string { return "//mcp:tool " + options + "\nfunc F(x int8) {}\n" }
	text := func(what string) string { return "//mcp:" + what + "\nfunc F(x string) string { return x }\n" }
	shape := func(note string) string {
		return note + "type Shape interface{ shape() }\ntype Circle struct{ R int8 }\nfunc (Circle) shape() {}\n//mcp:tool\nfunc F(s Shape) {}\n"
	}
	result := func(typ, option string) [2]string { // which is no longer promised
		f := "func F() (x " + typ + ") { panic(0) }\n"
		return [2]string{"//mcp:tool\n//mcp:result x " + option + "\n" + f, "//mcp:tool\n" + f}
	}
	for _, spec := range directive.All() {
		if spec.Name == "param" {
			continue
		}
		var options []string
		for _, f := range spec.Flags {
			options = append(options, f.Name)
		}
		for _, k := range spec.Keys {
			options = append(options, k.Name)
		}
		changed := map[string][2]string{ // of which the second breaks callers of the first
			"tool.readonly":         {tool("readonly"), tool("")},
			"tool.nondestructive":   {tool("nondestructive"), tool("")},
			"tool.idempotent":       {tool("idempotent"), tool("")},
			"tool.closedworld":      {tool("closedworld"), tool("")},
			"tool.open":             {tool("open"), tool("")},
			"tool.strict":           {tool(""), tool("strict")},
			"tool.text":             {"//mcp:tool\nfunc F() map[string]int8 { return nil }\n", "//mcp:tool text\nfunc F() map[string]int8 { return nil }\n"},
			"tool.task":             {tool("task=optional"), tool("task=required")},
			"resource.mime":         {"//mcp:resource x://y mime=text/x\nfunc F() string { return \"\" }\n", "//mcp:resource x://y mime=text/z\nfunc F() string { return \"\" }\n"},
			"tool.oneof":            {"//mcp:tool\nfunc F(x, y *int8) {}\n", "//mcp:tool oneof=x,y\nfunc F(x, y *int8) {}\n"},
			"tool.scope":            {tool("scope=a"), tool("scope=b,a")},
			"tool.confirm":          {tool(""), tool("confirm=Sure?")},
			"tool.needs":            {tool("needs=roots"), tool("needs=roots,sampling")},
			"tool.min-revision":     {tool(""), tool("min-revision=2025-06-18")},
			"app.visibility":        {tool(""), "//mcp:app visibility=app\n" + tool("")},
			"prompt.needs":          {text("prompt"), text("prompt needs=roots")},
			"prompt.min-revision":   {text("prompt min-revision=2025-03-26"), text("prompt min-revision=2025-06-18")},
			"resource.needs":        {text("resource a://{x}"), text("resource a://{x} needs=roots")},
			"resource.min-revision": {text("resource a://{x}"), text("resource a://{x} min-revision=2025-06-18")},
			"prompt.scope":          {text("prompt"), text("prompt scope=a")},
			"resource.scope":        {text("resource a://{x} scope=r:{x}"), text("resource a://{x} scope=r:{x},{x}")},
			"schema.open":           {"//mcp:schema open\ntype T struct{ X int8 }\n//mcp:tool\nfunc F(t T) {}\n", "type T struct{ X int8 }\n//mcp:tool\nfunc F(t T) {}\n"},
			"schema.closed": {"//mcp:schema closed\ntype T string\nconst A T = \"a\"\n//mcp:tool\nfunc F() (t T) { return A }\n",
				"type T string\nconst A T = \"a\"\n//mcp:tool\nfunc F() (t T) { return A }\n"},
			"result.name":          result("int8", "name=y"),
			"result.unique":        result("[]string", "unique"),
			"result.min":           result("int8", "min=1"),
			"result.max":           result("int8", "max=1"),
			"result.above":         result("float64", "above=1"),
			"result.below":         result("float64", "below=1"),
			"result.multipleof":    result("int8", "multipleof=2"),
			"result.minlen":        result("string", "minlen=1"),
			"result.maxlen":        result("string", "maxlen=1"),
			"result.pattern":       result("string", "pattern=a"),
			"result.format":        result("string", "format=email"),
			"result.enum":          result("string", "enum=a,b"),
			"schema.discriminator": {shape(""), shape("//mcp:schema discriminator=kind\n")},
		}
		for _, option := range options {
			name := spec.Name + "." + option
			if beyondContract[name] != "" {
				continue
			}
			from, to := b.analyze(changed[name][0]), b.analyze(changed[name][1])
			if from == nil || to == nil {
				t.Errorf("nothing tries %s, or it is refused: have it here, and what it means to callers in contracts", name)
			} else if changes, breaking := compare(from, to); !breaking {
				t.Errorf("%s does not break callers:\n%s", name, changes)
			}
		}
	}
}
