package tools

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/generator/tools/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// packageOf analyzes a file, which begins with its package clause.
func packageOf(t *testing.T, src string) *Package {
	t.Helper()
	b := newBench(t)
	b.on.files["example.com/p"] = []txtar.File{{Name: "/a.go", Data: []byte(src)}}
	syntax, pkg, info, errs := b.on.check("example.com/p")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p, problems := analyze.Package(&source.Package{Files: syntax, Types: pkg, Info: info, Dir: "/", Module: "example.com/p", Sources: source.NewFiles(b.on.fset, nil, nil)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return &Package{ir: p, base: "/"}
}

// TestDescribe tells publishers what the code says.
func TestDescribe(t *testing.T) {
	p := packageOf(t, `// Package p is about the weather.
//
//mcp:server name=weather version=1.2.3 title=Weather "description=All weather" website=https://example.com
//mcp:icon https://example.com/i.png mime=image/png sizes=48x48,any theme=dark
//mcp:desc Ask for a city first.
//mcp:publish name=com.example/weather image=example.com/weather remote=https://example.com/mcp author=Ann license=MIT category=weather platforms=linux/amd64,darwin/arm64
package p

//mcp:config
type Config struct {
	// Key is for the service.
	//
	//mcp:config env=KEY secret required
	Key string

	//mcp:config env=UNIT flag=unit default=celsius enum=celsius,fahrenheit
	Unit string
}

// Forecast forecasts.
//
//mcp:tool readonly
//mcp:title The forecast
//mcp:desc city A city
func Forecast(city string, days *int, any any) (high int, err error) { return 0, nil }

//mcp:tool
//mcp:app visibility=app
func Hidden(a, b, c, d, e, f, g string) {}

// Ask asks.
//
//mcp:prompt
//mcp:title Asking
func Ask(city string) string { return city }

// Map is a map.
//
//mcp:resource maps://{city}
//mcp:title A map
func Map(city string) string { return city }
`)
	got := p.Describe()
	for i := range got.Tools {
		if !strings.HasPrefix(string(got.Tools[i].Definition), `{"name":"`+got.Tools[i].Name+`",`) {
			t.Errorf("the definition is %s", got.Tools[i].Definition)
		}
		got.Tools[i].Definition = nil
	}
	want := &Description{
		Name: "weather", Title: "Weather", Version: "1.2.3", Text: "All weather", Website: "https://example.com", Instructions: "Ask for a city first.",
		Icons:        []DescribedIcon{{Src: "https://example.com/i.png", MIMEType: "image/png", Theme: "dark", Sizes: []string{"48x48", "any"}}},
		RegistryName: "com.example/weather", Image: "example.com/weather", Remote: "https://example.com/mcp", Author: "Ann", License: "MIT", Category: "weather",
		Platforms: []string{"linux/amd64", "darwin/arm64"},
		Tools: []DescribedTool{
			{DescribedItem: DescribedItem{"forecast", "The forecast", "Forecast forecasts."}, Arguments: []DescribedArgument{
				{Name: "city", Type: "string", Description: "A city", Required: true}, {Name: "days", Type: "integer"}, {Name: "any", Type: "any", Required: true},
			}},
			{DescribedItem: DescribedItem{Name: "hidden"}, Arguments: []DescribedArgument{
				{Name: "a", Type: "string", Required: true}, {Name: "b", Type: "string", Required: true}, {Name: "c", Type: "string", Required: true}, {Name: "d", Type: "string", Required: true},
				{Name: "e", Type: "string", Required: true}, {Name: "f", Type: "string", Required: true}, {Name: "g", Type: "string", Required: true},
			}},
		},
		Prompts:   []DescribedItem{{"ask", "Asking", "Ask asks."}},
		Resources: []DescribedItem{{"maps://{city}", "A map", "A map."}},
		Settings: []DescribedSetting{
			{Env: "KEY", Description: "Key is for the service.", Kind: "string", Secret: true, Required: true},
			{Env: "UNIT", Flag: "unit", Default: "celsius", Kind: "string", Enum: []string{"celsius", "fahrenheit"}},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Description{}, "Pos")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.Pos.Filename != "a.go" || got.Pos.Line != 3 {
		t.Errorf("the server is at %s", got.Pos)
	}
	if got, want := p.Contents(), "2 tools, 1 prompt, 1 resource"; got != want {
		t.Errorf("contents %s, want %s", got, want)
	}
	if !slices.Equal(p.Tools(), []string{"forecast", "hidden"}) || !slices.Equal(p.Prompts(), []string{"ask"}) || !slices.Equal(p.Resources(), []string{"map", "maps://{city}"}) {
		t.Errorf("names %v, %v, %v", p.Tools(), p.Prompts(), p.Resources())
	}
	if p.Path() != "example.com/p" || p.Name() != "p" || p.Dir() != "/" || NameOf("GetURL") != "get_url" {
		t.Errorf("%s, %s, %s", p.Path(), p.Name(), p.Dir())
	}
	budget := p.Budget()
	if len(budget) != 1 || budget[0].Tool != "forecast" || budget[0].Tokens != (budget[0].Bytes+3)/4 {
		t.Errorf("the budget is %+v: apps alone see the other tool", budget)
	}
	if packageOf(t, "package p\n\n//mcp:tool\nfunc F() {}\n").Describe() != nil {
		t.Error("a server without a name is described")
	}
}

// TestBudget has the definitions as models see them, the largest first.
func TestBudget(t *testing.T) {
	p := packageOf(t, `package p

//mcp:tool
func B() {}

// A has <text>.
//
//mcp:tool nondestructive closedworld
func A() int { return 0 }
`)
	definitions := map[string]string{
		"a": `{"name":"a","description":"A has <text>.","inputSchema":{"type":"object","additionalProperties":false},"outputSchema":{"type":"object","properties":{"result":{"type":"integer"}},"required":["result"]},"annotations":{"destructiveHint":false,"openWorldHint":false}}`,
		"b": `{"name":"b","inputSchema":{"type":"object","additionalProperties":false}}`,
	}
	want := []Cost{{"a", len(definitions["a"]), 66}, {"b", len(definitions["b"]), 19}}
	if diff := cmp.Diff(want, p.Budget()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, tool := range p.ir.Tools {
		if got := string(definition(tool)); got != definitions[tool.Name] {
			t.Errorf("the definition is %s", got)
		}
	}
	for _, c := range SearchBudget() {
		if c.Bytes < 100 || c.Tokens != (c.Bytes+3)/4 {
			t.Errorf("%s costs %+v", c.Tool, c)
		}
	}
}

// TestOpaque finds types that tell models nothing, also within others, and says where a directive would help.
func TestOpaque(t *testing.T) {
	p := packageOf(t, `package p

import "encoding/json"

type Own struct{}

func (Own) MarshalJSON() ([]byte, error) { return nil, nil }

//mcp:schema {"type":"string"}
type Told struct{}

func (Told) MarshalJSON() ([]byte, error) { return nil, nil }

type Tree struct {
	Own      Own
	Told     Told
	Children []Tree
	Text     string
	Any      any
	Raw      json.RawMessage
}

type Other struct{}

func (Other) MarshalJSON() ([]byte, error) { return nil, nil }

type Shape interface{ shape() }

type Circle struct{ Others []Other }

func (Circle) shape() {}

type Square struct{ Side int }

func (Square) shape() {}

//mcp:tool
func A() (own Own, told Told) { return }

//mcp:tool
func B(any any) (s Shape, err error) { return nil, nil }

//mcp:tool
func C() map[string]Tree { return nil }
`)
	want := []Opaque{
		{Type: "p.Other", Advice: `//mcp:schema {"type":"string"} or its like above type Other`, Tools: []string{"b"}},
		{Type: "p.Own", Advice: `//mcp:schema {"type":"string"} or its like above type Own`, Tools: []string{"a", "c"}},
	}
	if diff := cmp.Diff(want, p.Opaque()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	elsewhere := &Package{ir: &ir.Package{Types: types.NewPackage("example.com/q", "q")}}
	if got, want := elsewhere.schemaAdvice(p.ir.Types.Scope().Lookup("Own").Type()), `//mcp:schema for=example.com/p.Own {"type":"string"} or its like above the package clause`; got != want {
		t.Errorf("advice %s, want %s", got, want)
	}
	elsewhere.ir.Types.SetImports([]*types.Package{p.ir.Types})
	if got, want := elsewhere.schemaAdvice(p.ir.Types.Scope().Lookup("Own").Type()), `//mcp:schema for=p.Own {"type":"string"} or its like above the package clause`; got != want {
		t.Errorf("advice %s, want %s", got, want)
	}
	for _, of := range []types.Type{types.Typ[types.Int], types.Universe.Lookup("error").Type()} {
		if got := p.schemaAdvice(of); got != "" {
			t.Errorf("advice on %s: %s", of, got)
		}
	}
}

// TestReview reviews the contract of a package against its lock file and a release.
func TestReview(t *testing.T) {
	const before = "//mcp:server name=p version=1.0.0\npackage p\n\n//mcp:tool\nfunc Kept(a string) {}\n\n//mcp:tool\nfunc Gone() {}\n\n//mcp:prompt\nfunc Ask() string { return \"\" }\n\n//mcp:resource a://b\nfunc Read() string { return \"\" }\n"
	after := strings.NewReplacer("Kept(a string)", "Kept(a int)", "func Gone", "func More", "Ask() string", "Ask(x string) string", "a://b", "a://c").Replace(before)
	lock := packageOf(t, before).Lock()
	changed := packageOf(t, after)
	unstable := packageOf(t, strings.Replace(after, "1.0.0", "0.9.0", 1))

	type outcome struct {
		broken, deleted, unstable bool
		changes, unaccepted       int
		lock                      string // as before, after, none or mixed
	}
	review := func(p *Package, file []byte, since *Release) (o outcome, r *LockReview) {
		t.Helper()
		r, err := p.ReviewLock("mcp.lock.json", file, since)
		if err != nil {
			t.Fatal(err)
		}
		o = outcome{r.Broken, r.Deleted, r.Unstable, len(r.Changes), len(r.Unaccepted()), "mixed"}
		switch string(r.Lock) {
		case "":
			o.lock = "none"
		case string(lock):
			o.lock = "before"
		case string(r.Accepted):
			o.lock = "after"
		}
		return o, r
	}
	for _, test := range []struct {
		name  string
		p     *Package
		file  []byte
		since *Release
		want  outcome
	}{
		{"nothing is known", changed, nil, nil, outcome{lock: "after"}},
		{"nothing has changed", packageOf(t, before), lock, nil, outcome{lock: "before"}},
		{"changed", changed, lock, nil, outcome{broken: true, changes: 4, unaccepted: 4, lock: "mixed"}},
		{"changed, and accepted", changed, changed.Lock(), &Release{Name: "old", Lock: lock}, outcome{changes: 4, lock: "after"}},
		{"changed since a release", changed, lock, &Release{Name: "old", Lock: lock}, outcome{broken: true, changes: 4, unaccepted: 4, lock: "mixed"}},
		{"not released yet", changed, lock, &Release{Name: "old"}, outcome{lock: "after"}},
		{"without its lock file", changed, nil, &Release{Name: "old", Lock: lock}, outcome{broken: true, deleted: true, changes: 4, unaccepted: 4, lock: "mixed"}},
		{"unstable", unstable, lock, nil, outcome{unstable: true, changes: 4, lock: "after"}},
		{"unstable when released", changed, lock, &Release{Name: "old", Lock: lock, Version: "0.1.0"}, outcome{unstable: true, changes: 4, lock: "after"}},
		{"stable when released", changed, lock, &Release{Name: "old", Lock: lock, Version: "10.0.0"}, outcome{broken: true, changes: 4, unaccepted: 4, lock: "mixed"}},
	} {
		got, r := review(test.p, test.file, test.since)
		if got != test.want {
			t.Errorf("%s: got %+v, want %+v: %v", test.name, got, test.want, r.Changes)
		}
		if want := test.p.ir.Server.Version; r.Version != want {
			t.Errorf("%s: version %s, want %s", test.name, r.Version, want)
		}
	}
	_, r := review(changed, lock, nil)
	var places []string
	for _, c := range r.Changes {
		places = append(places, c.Pos.String()+" "+c.Change.String())
	}
	want := []string{
		"a.go:8:6 tool gone: renamed to more",
		"a.go:5:6 tool kept: input.a: type changed from string to integer",
		"a.go:11:6 prompt ask: arguments.x: added, required",
		"a.go:14:6 resource a://b: renamed to a://c",
	}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("changes, -want +got:\n%s", diff)
	}
	if _, err := changed.ReviewLock("mcp.lock.json", []byte("{"), nil); err == nil || !strings.HasPrefix(err.Error(), "mcp.lock.json:") {
		t.Errorf("a broken lock file: %v", err)
	}
	if _, err := changed.ReviewLock("mcp.lock.json", lock, &Release{Name: "old", Lock: []byte("{")}); err == nil || !strings.HasPrefix(err.Error(), "old:") {
		t.Errorf("a broken release: %v", err)
	}
	fewer := packageOf(t, strings.NewReplacer("//mcp:tool\nfunc Gone", "func Gone", "//mcp:prompt\n", "", "//mcp:resource a://b\n", "").Replace(before))
	_, r = review(fewer, lock, nil)
	for _, c := range r.Changes {
		if at := contract.Line(lock, c.Kind, c.Name); c.Pos.String() != fmt.Sprintf("mcp.lock.json:%d", at) || at == 0 {
			t.Errorf("%s is at %s, want line %d of the lock file", c.Change, c.Pos, at)
		}
	}
	if len(r.Changes) != 3 {
		t.Errorf("changes %v, want three", r.Changes)
	}
	renamed := packageOf(t, strings.Replace(before, "func Gone", "func Renamed", 1))
	parsed, err := ParseLock("x", lock)
	if err != nil {
		t.Fatal(err)
	}
	later, err := ParseLock("x", renamed.Lock())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(parsed.Changes(later)); n != 1 || len(parsed.Entries()) != 4 {
		t.Errorf("%d changes of %d entries", n, len(parsed.Entries()))
	}
	if packageOf(t, "//mcp:server name=p\npackage p\n\n//mcp:tool\nfunc F() {}\n").Lock() == nil || lockFile(contract.New()) != nil {
		t.Error("nothing to call has a lock file, or a tool none")
	}
	for src, want := range map[string]string{before: "1.0.0", "package p": "", "x": ""} {
		if got := ServerVersion([]byte(src)); got != want {
			t.Errorf("the version of %.30q is %q", src, got)
		}
	}
}
