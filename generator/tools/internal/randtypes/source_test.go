package randtypes

import (
	"fmt"
	"go/types"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A randomType is a type with its tool, in a file of its own.
type randomType struct {
	pkg, name, tool string
	whole, strict   bool
	fault           bool // something in it must be refused
	text            string
}

// A randomPackage is a Go package with random types, and one that it imports.
type randomPackage struct {
	name         string
	types        []*randomType
	shared       string // what all types may use
	other        string // the source of the other package,
	otherName    string // its name,
	otherAlias   string // and how it is imported
	test, system string // declarations of files that are not read
	aliases      map[string]string
}

// module is the path of the module. What is internal may be imported there.
const module = "github.com/mcpgen/mcpgen/generator/tools/random"

// imports are the packages that sources name as «name».
var imports = map[string]string{
	"big": "math/big", "json": "encoding/json", "netip": "net/netip", "rand": "math/rand/v2", "time": "time", "url": "net/url",
	"wire": "github.com/mcpgen/mcpgen/runtime/wire", "check": "github.com/mcpgen/mcpgen/generator/tools/internal/randtypes/check",
	"fmt": "fmt", "errors": "errors", "image": "image", "token": "go/token", "server": "github.com/mcpgen/mcpgen/runtime/server",
}

var qualifier = regexp.MustCompile(`«(\w+)»`)

// source completes a source text: with the package clause and with imports. As a twin it has no tools,
// and types of package check in place of those of the standard library that encoding/json writes in
// another way.
func (p *randomPackage) source(name, text string, twin bool) string {
	path := module + "/" + p.name
	if twin {
		path += "/twin"
		text = strings.NewReplacer("«time».Duration", "«check».Duration", "«url».URL", "«check».URL", "«day».Time", "«check».Date").Replace(text)
		var kept []string
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(strings.TrimSpace(line), "//mcp:") && !strings.HasPrefix(line, "func F") && !strings.HasPrefix(line, "func init") {
				kept = append(kept, line)
			}
		}
		text = strings.Join(kept, "")
	}
	text = strings.ReplaceAll(text, "«day».", "«time».")
	used := make(map[string]string)
	text = qualifier.ReplaceAllStringFunc(text, func(q string) string {
		name := q[len("«") : len(q)-len("»")]
		alias, path := name, imports[name]
		if name == "other" {
			alias, path = p.otherAlias, "/"+p.otherName
		} else if a := p.aliases[name]; a != "" {
			alias = a
		}
		used[alias] = path
		return alias
	})
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n", name)
	for _, alias := range slices.Sorted(maps.Keys(used)) {
		target := used[alias]
		if strings.HasPrefix(target, "/") {
			target = path + target
		}
		fmt.Fprintf(&b, "import %s %q\n", alias, target)
	}
	b.WriteString("\n" + text)
	return b.String()
}

// colliding are names that generated code uses for variables and imports, and that a package may
// well have itself.
var colliding = strings.Fields("a c content ctx d e err item items k name next o opts p raw report req result s settled u uri v value values vars " +
	"args server mcp wire math time url json errors context big base64 strconv regexp sync")

// newPackage makes a package with n types.
func newPackage(seed uint64, name string, n int) *randomPackage {
	h := uint64(14695981039346656037)
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	r := rand.New(rand.NewPCG(seed, h))
	p := &randomPackage{name: name, aliases: make(map[string]string), shared: sharedSource, other: otherSource}
	p.otherName = pick(r, "other", "args", "wire", "server", "v", "d", "time", "string", "len", "mcp", "err")
	p.otherAlias = p.otherName
	if types.Universe.Lookup(p.otherName) != nil || imports[p.otherName] != "" || r.IntN(2) == 0 {
		p.otherAlias = "y" + p.otherName // for which generated code has its own name
	}
	taken := map[string]bool{p.otherAlias: true}
	for _, alias := range slices.Sorted(maps.Keys(imports)) {
		if r.IntN(4) == 0 {
			p.aliases[alias] = "x" + alias
		}
	}
	declare := func(n int) string {
		var b strings.Builder
		for range n {
			name := pick(r, colliding...)
			if taken[name] || imports[name] != "" && p.aliases[name] == "" {
				continue
			}
			taken[name] = true
			fmt.Fprintf(&b, pick(r, "func %s() {}\n", "var %s = 1\n", "type %s struct{ X int }\n", "const %s = \"x\"\n"), name)
		}
		return b.String()
	}
	p.shared += declare(r.IntN(6))
	p.test, p.system = declare(r.IntN(4)), declare(r.IntN(4))
	if r.IntN(2) == 0 {
		p.test += "\nfunc mcpGetT1() {}\n\nfunc mcpF0() {}\n"
	}
	for i := range n {
		p.types = append(p.types, newType(r, name, i))
	}
	if name == "p0" {
		p.types = append(p.types, seldom(name, n), seldomLoose(name, n+1), seldomPanics(name, n+2))
	}
	return p
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// files returns the files of the package and of its twin, without the types that leave is true of.
func (p *randomPackage) files(leave func(*randomType) bool) map[string]string {
	files := map[string]string{
		p.name + "/shared.go":                         "//mcp:server name=" + p.name + "\n" + p.source(p.name, p.shared, false),
		p.name + "/twin/shared.go":                    p.source("twin", p.shared, true),
		p.name + "/" + p.otherName + "/other.go":      p.source(p.otherName, p.other, false),
		p.name + "/twin/" + p.otherName + "/other.go": p.source(p.otherName, p.other, true),
		p.name + "/names_test.go":                     p.source(p.name, p.test, false),
		p.name + "/names_plan9.go":                    p.source(p.name, p.system, false),
	}
	for _, t := range p.types {
		if !leave(t) {
			file := "/" + strings.ToLower(t.name) + ".go"
			files[p.name+file] = p.source(p.name, t.text, false)
			files[p.name+"/twin"+file] = p.source("twin", t.text, true)
		}
	}
	return files
}
