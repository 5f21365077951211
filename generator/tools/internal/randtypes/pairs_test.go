package randtypes

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/generator/internal/witness"
	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/generator/tools/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
	"github.com/mcpgen/mcpgen/generator/tools/internal/terms"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	pairsFlag = flag.Int("pairs", 0, "about how many pairs of types TestPairs compares (default 100, or 1000 if MCPGEN_FULL is set)")
	firstFlag = flag.Int("first", 0, "the number of the first package of TestPairs, to see one again")
)

// How many types the packages of TestPairs have, and how many versions. Each version is compared with each other one.
const (
	perHistory  = 8
	perVersions = 5
)

// TestPairs compares what the generator makes of random types with what it makes of them after some edits. What is said to
// break nobody must not be contradicted by a value, and there must be a value that shows each break: a validator that is
// not ours decides which values are valid.
func TestPairs(t *testing.T) {
	n := *pairsFlag
	if n == 0 {
		switch n = 100; {
		case testenv.Full():
			n = 1000
		case testing.Short():
			t.Skip("it analyzes many packages, which -short does without")
		}
	}
	total := &verdicts{t: t}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for total.pairs.Load() < int64(n) && total.wrong.Load() < 20 {
				number := *firstFlag + int(next.Add(1)) - 1
				total.compare(number, historyOf(t, number))
			}
		})
	}
	workers.Wait()
	t.Logf("seed %d: %s", *seedFlag, total)
	if n >= 1000 && min(total.compatible.Load(), total.breaking.Load()) < total.pairs.Load()/5 {
		t.Error("one verdict is rare")
	}
}

// A version is a package at one point of its history.
type version struct {
	exact       *contract.Contract // as in lock files
	published   *contract.Contract // as validators have it
	definitions *contract.Definitions
	tools       map[string]*versionTool
}

// A versionTool is a tool of a version. Its schemas are those of its arguments and its result.
type versionTool struct {
	source    string
	exact     [2]string
	published [2]string
	compiled  [2]*witness.Schema
}

// historyOf returns versions of a random package.
func historyOf(t *testing.T, number int) (all []*version) {
	t.Helper()
	p := newPackage(*seedFlag, "pair"+strconv.Itoa(number), perHistory)
	e := &editor{Rand: rand.New(rand.NewPCG(*seedFlag, uint64(number)))}
	p.shared = withoutInit(p.shared)
	p.other = withoutInit(p.other)
	for i, of := range p.types {
		p.types[i] = e.decorated(of)
	}
	checker := newTypeChecker(t)
	for range perVersions {
		all = append(all, versionOf(t, checker, p))
		next := *p
		next.types = nil
		for _, of := range p.types {
			next.types = append(next.types, e.edited(of))
		}
		p = &next
	}
	return all
}

// withoutInit returns a source without the functions for package check, which name constants.
func withoutInit(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		if !strings.HasPrefix(line, "func init") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// versionOf analyzes a package, without the types that are no Go or are refused.
func versionOf(t *testing.T, checker *typeChecker, p *randomPackage) *version {
	t.Helper()
	b := &batch{t: t, dir: "/", packages: []*randomPackage{p}, left: make(map[*randomType]bool)}
	for {
		files := p.files(func(t *randomType) bool { return b.left[t] })
		checked := b.typeCheck(checker, p, files, "")
		if b.leaveInvalid(p, checked) {
			continue
		}
		read := func(name string) ([]byte, error) {
			if text, ok := files[b.relative(name)]; ok {
				return []byte(text), nil
			}
			return os.ReadFile(name)
		}
		found, problems := analyze.Package(&source.Package{
			Files: checked.syntax, Types: checked.types, Info: checked.info, Dir: filepath.Join(b.dir, p.name), Module: module,
			Sources: source.NewFiles(checked.fset, read, nil),
		})
		if len(problems) == 0 {
			return newVersion(t, p, found)
		}
		var list tools.ErrorList
		for _, p := range problems {
			list = append(list, &tools.Error{Pos: checked.fset.Position(p.Pos), Msg: p.Msg})
		}
		for t := range b.subjects(list) {
			b.left[t] = true
		}
	}
}

func newVersion(t *testing.T, p *randomPackage, found *ir.Package) *version {
	t.Helper()
	v := &version{exact: terms.Of(found), published: contract.New(), definitions: &contract.Definitions{}, tools: map[string]*versionTool{}}
	for _, tool := range found.Tools {
		of := &versionTool{exact: [2]string{schema.ExactInput(tool), schema.ExactOutput(tool)}, published: [2]string{schema.Input(tool), schema.Output(tool)}}
		for i, text := range of.published {
			if text == "" {
				text = "{}"
			}
			var err error
			if of.compiled[i], err = witness.Compile(text); err != nil {
				t.Errorf("package %s of seed %d, tool %s: %v\n%s", p.name, *seedFlag, tool.Name, err, text)
				return v
			}
		}
		i := slices.IndexFunc(p.types, func(of *randomType) bool { return of.tool == tool.Name })
		of.source = p.types[i].text
		plain := &contract.Tool{Result: contract.NoResult}
		plain.SetInput(of.published[0])
		if of.published[1] != "" {
			plain.SetOutput(of.published[1])
		}
		v.tools[tool.Name], v.published.Tools[tool.Name] = of, plain
		listed := mcp.Tool{Name: tool.Name, InputSchema: wire.Raw(of.published[0])}
		if of.published[1] != "" {
			listed.OutputSchema = wire.Raw(of.published[1])
		}
		v.definitions.Tools = append(v.definitions.Tools, listed)
	}
	return v
}

// verdicts counts what became of pairs.
type verdicts struct {
	t                                                   *testing.T
	pairs, compatible, breaking, cautious, exact, wrong atomic.Int64
}

func (a *verdicts) String() string {
	return fmt.Sprintf("%d pairs of schemas: %d compatible, %d breaking, %d cautious, %d breaking in what JSON Schema does not say, %d wrong",
		a.pairs.Load(), a.compatible.Load(), a.breaking.Load(), a.cautious.Load(), a.exact.Load(), a.wrong.Load())
}

// compare compares each version with each other one.
func (a *verdicts) compare(number int, all []*version) {
	r := rand.New(rand.NewPCG(*seedFlag, uint64(number)))
	for i, old := range all {
		for j, now := range all {
			if i == j {
				continue
			}
			exact, published := broken(contract.Compare(old.exact, now.exact)), broken(contract.Compare(old.published, now.published))
			changes, err := contract.CompareClient(old.definitions, now.definitions)
			if err != nil {
				a.t.Fatal(err)
			}
			client := broken(changes)
			for name, was := range old.tools {
				is := now.tools[name]
				if is == nil {
					continue
				}
				for side, path := range []string{"input", "output"} {
					if was.exact[side] == is.exact[side] || was.exact[side] == "" || is.exact[side] == "" {
						continue
					}
					place := name + " " + path
					a.judge(r, &verdict{was, is, side, exact[place], published[place], client[place]},
						fmt.Sprintf("package %d of seed %d, versions %d and %d, tool %s", number, *seedFlag, i, j, name))
				}
			}
		}
	}
}

// broken returns for which tools, and for which of their schemas, something breaks.
func broken(all []contract.Change) map[string][]string {
	is := map[string][]string{}
	for _, c := range all {
		side, _, _ := strings.Cut(c.Path, ".")
		side, _, _ = strings.Cut(side, "(")
		side, _, _ = strings.Cut(side, " ")
		side, _, _ = strings.Cut(side, "[")
		if c.Breaking {
			is[c.Name+" "+side] = append(is[c.Name+" "+side], c.String())
		}
	}
	return is
}

// A verdict is what is said of the arguments of a tool, or of its result: what breaks.
type verdict struct {
	was, is                  *versionTool
	side                     int
	exact, published, client []string
}

// widens reports whether nothing breaks but patterns, whose larger one takes what the smaller one does: contracts know
// patterns by their text alone, so they call it breaking, and no value shows it.
func (v *verdict) widens() bool {
	change := [...]string{"pattern changed from ^[a-f]*$ to ^[a-z]*$", "pattern changed from ^[a-z]*$ to ^[a-f]*$"}[v.side]
	return !slices.ContainsFunc(v.published, func(s string) bool { return !strings.HasSuffix(s, change) })
}

// shown reports whether a value shows that what generated code enforces has changed, as where it takes values of an enum that
// the schema does not list.
func (a *verdicts) shown(r *rand.Rand, v *verdict) bool {
	var schemas [2]*witness.Schema
	for i, tool := range []*versionTool{v.was, v.is} {
		var err error
		if schemas[i^v.side], err = witness.Compile(tool.exact[v.side]); err != nil {
			a.t.Fatal(err)
		}
	}
	return witness.Find(r, schemas[0], schemas[1], 40_000) != ""
}

func (a *verdicts) judge(r *rand.Rand, v *verdict, place string) {
	a.pairs.Add(1)
	small, large := v.was.compiled[v.side], v.is.compiled[v.side]
	if v.side == 1 {
		small, large = large, small
	}
	values := 40
	if v.published != nil {
		values = 40_000
	}
	value := witness.Find(r, small, large, values)
	open := v.side == 0 && strings.Contains(v.was.source+v.is.source, " open")
	wrong := ""
	switch {
	case v.published == nil && value != "":
		wrong = "compatible, and wrong"
	case v.published != nil && value == "" && !v.widens():
		wrong = "breaking, and no value shows it"
	case (v.client == nil) != (v.published == nil) && !open:
		wrong = "client -check says another thing than check"
	case v.exact == nil && v.published != nil:
		wrong = "what generated code enforces is compatible, and the schema is not"
	case v.exact != nil && v.published == nil && !strings.Contains(v.was.exact[v.side]+v.is.exact[v.side], `"x-go-`) && !a.shown(r, v):
		wrong = "breaking in nothing that the schemas say"
	case v.exact != nil && v.published == nil:
		a.exact.Add(1)
	case value == "" && v.exact != nil:
		a.cautious.Add(1)
	case v.exact != nil:
		a.breaking.Add(1)
	default:
		a.compatible.Add(1)
	}
	if wrong != "" && a.wrong.Add(1) < 20 {
		a.t.Errorf("%s: %s: %s\n%v\n%v\n%v\nold %s\nnew %s\nexact old %s\nexact new %s\n%s\n%s", place, wrong, cmp.Or(value, "no value"), v.exact, v.published, v.client,
			small.Text, large.Text, v.was.exact[v.side], v.is.exact[v.side], v.was.source, v.is.source)
	}
}
