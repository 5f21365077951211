package constraint

import (
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestApply applies directives to properties of all kinds of types. A case is a line of testdata/apply.txt: a type, "in" for an
// argument or "out" for what is no argument, and directives as they stand behind //mcp:param x, with | between them. The
// indented lines below it say what became of the property, or what was wrong.
func TestApply(t *testing.T) {
	const name = "testdata/apply.txt"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	cases := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		got.WriteString(line)
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cases++
		for _, result := range applied(t, line) {
			got.WriteString("\t" + result + "\n")
		}
	}
	if cases == 0 {
		t.Fatal("there are no cases")
	}
	if *update {
		if err := os.WriteFile(name, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("-want +got (run with -update to accept):\n%s", diff)
	}
}

// applied returns what becomes of a property, as the case says, with problems first.
func applied(t *testing.T, line string) []string {
	t.Helper()
	name, rest, _ := strings.Cut(line, " ")
	direction, rest, _ := strings.Cut(rest, " ")
	p := &ir.Property{Name: "x", Go: "x", Type: newTypes()[name], Required: true}
	if p.Type == nil || direction != "in" && direction != "out" {
		t.Fatalf("%s: want a known type, and in or out", line)
	}
	if name == "self" {
		p.Type.Elem.Elem.Fields = []*ir.Property{p}
	}
	var results []string
	checker := NewChecker(
		func(pos token.Pos, format string, args ...any) {
			results = append(results, fmt.Sprintf("%d: ", pos)+fmt.Sprintf(format, args...))
		},
		func(t types.Type) string { return types.TypeString(t, (*types.Package).Name) },
	)
	slash := token.Pos(1)
	for again, steps := range strings.Split(rest, " || ") { // as if the first were those of a field, to which a path leads
		var notes []Note
		for _, one := range strings.Split(steps, " | ") {
			part := ""
			if of, rest, ok := strings.Cut(one, ": "); ok && directive.IsPart(strings.Split(of, ".")[0]) {
				part, one = of, rest
			}
			d, problems := directive.Parse(&ast.Comment{Slash: slash, Text: "//mcp:param x " + one}, directive.Function, "")
			if len(problems) > 0 {
				t.Fatalf("%s: %s", line, problems[0].Msg)
			}
			slash += 1000
			notes = append(notes, Note{Directive: d, Part: part})
		}
		if again > 0 {
			p = &ir.Property{Name: p.Name, Go: p.Go, Type: p.Type, Required: p.Required, Default: p.Default, Constraints: p.Constraints}
		}
		checker.Apply(p, notes, direction == "in")
	}
	checker.Finish()
	checker.Finish()
	return append(results, shown(p))
}

// shown describes a property.
func shown(p *ir.Property) string {
	parts := []string{p.Name}
	if p.Required {
		parts = append(parts, "required")
	}
	if p.Header != "" {
		parts = append(parts, "header="+p.Header)
	}
	if p.Default != nil {
		parts = append(parts, "default="+shownLiteral(p.Default))
	}
	for _, e := range p.Examples {
		parts = append(parts, "example="+shownLiteral(e))
	}
	return strings.Join(append(parts, shownConstraints("", p.Constraints)...), " ")
}

// Nothing is applied where there is nothing.
func TestApplyNothing(t *testing.T) {
	p := &ir.Property{Name: "x", Type: newTypes()["int"]}
	NewChecker(nil, nil).Apply(p, nil, true)
	if got := shown(p); got != "x" {
		t.Error(got)
	}
}

func shownLiteral(l *ir.Literal) string {
	s := l.JSON
	if l.Value != nil && l.Value.ExactString() != s {
		s += " of " + l.Value.ExactString()
	}
	if l.Const != nil {
		s += " named " + l.Const.Name()
	}
	return s
}

func shownConstraints(prefix string, k *ir.Constraints) (parts []string) {
	if k == nil {
		return nil
	}
	add := func(name string, v any) { parts = append(parts, fmt.Sprintf("%s%s=%v", prefix, name, v)) }
	for _, bound := range []struct {
		name string
		v    constant.Value
	}{{"min", k.Min}, {"max", k.Max}, {"above", k.Above}, {"below", k.Below}} {
		if bound.v != nil {
			add(bound.name, bound.v.ExactString())
		}
	}
	if k.MultipleOf != "" {
		add("multipleof", k.MultipleOf)
	}
	if k.MinLen != nil {
		add("minlen", *k.MinLen)
	}
	if k.MaxLen != nil {
		add("maxlen", *k.MaxLen)
	}
	if k.Unique {
		add("unique", true)
	}
	if k.Pattern != "" {
		add("pattern", k.Pattern+" → "+k.Regexp)
	}
	if k.Format != "" {
		add("format", k.Format)
	}
	for _, e := range k.Enum {
		add("enum", shownLiteral(e))
	}
	parts = append(parts, shownConstraints(prefix+"items.", k.Items)...)
	parts = append(parts, shownConstraints(prefix+"keys.", k.Keys)...)
	return append(parts, shownConstraints(prefix+"values.", k.Values)...)
}

// newTypes returns types of all kinds, by the names that cases have for them.
func newTypes() map[string]*ir.Type {
	pkg := types.NewPackage("example.com/p", "p")
	named := func(name string) types.Type {
		return types.NewNamed(types.NewTypeName(token.NoPos, pkg, name, nil), types.NewStruct(nil, nil), nil)
	}
	basic := func(kind ir.Kind, t types.BasicKind, bits int) *ir.Type {
		return &ir.Type{Kind: kind, Go: types.Typ[t], Bits: bits}
	}
	all := map[string]*ir.Type{
		"bool": basic(ir.Bool, types.Bool, 0), "string": basic(ir.String, types.String, 0),
		"int": basic(ir.Int, types.Int, 64), "int8": basic(ir.Int, types.Int8, 8), "uint8": basic(ir.Uint, types.Uint8, 8), "uint64": basic(ir.Uint, types.Uint64, 64),
		"float32": basic(ir.Float, types.Float32, 32), "float64": basic(ir.Float, types.Float64, 64),
		"invalid": basic(ir.Invalid, types.Invalid, 0),
	}
	for name, kind := range map[string]ir.Kind{
		"bytes": ir.Bytes, "time": ir.Time, "duration": ir.Duration, "url": ir.URL, "bigint": ir.BigInt, "number": ir.Number,
		"raw": ir.Raw, "any": ir.Any, "text": ir.Text, "json": ir.JSON,
	} {
		all[name] = &ir.Type{Kind: kind, Go: named(strings.ToUpper(name[:1]) + name[1:])}
	}
	pointer := func(to *ir.Type) *ir.Type { return &ir.Type{Kind: ir.Pointer, Go: types.NewPointer(to.Go), Elem: to} }
	all["*int"], all["*string"] = pointer(all["int"]), pointer(all["string"])
	for _, name := range slices.Collect(maps.Keys(all)) {
		all["[]"+name] = &ir.Type{Kind: ir.Slice, Go: types.NewSlice(all[name].Go), Elem: all[name]}
		all["map/"+name] = &ir.Type{Kind: ir.Map, Go: types.NewMap(types.Typ[types.String], all[name].Go), Key: all["string"], Elem: all[name]}
	}
	all["[2]int"] = &ir.Type{Kind: ir.Array, Go: types.NewArray(types.Typ[types.Int], 2), Elem: all["int"], Len: 2}
	all["[][]int"] = &ir.Type{Kind: ir.Slice, Go: types.NewSlice(all["[]int"].Go), Elem: all["[]int"]}
	all["byint"] = &ir.Type{Kind: ir.Map, Go: types.NewMap(types.Typ[types.Int8], types.Typ[types.String]), Key: all["int8"], Elem: all["string"]}
	all["bytext"] = &ir.Type{Kind: ir.Map, Go: types.NewMap(all["text"].Go, types.Typ[types.String]), Key: all["text"], Elem: all["string"]}

	all["tree"] = &ir.Type{Kind: ir.Slice, Go: named("Tree"), Name: "Tree"}
	all["tree"].Elem = all["tree"]
	node := &ir.Type{Kind: ir.Struct, Go: named("Node"), Name: "Node"}
	all["self"] = &ir.Type{Kind: ir.Slice, Go: types.NewSlice(types.NewPointer(node.Go)), Elem: pointer(node)}
	all["names"] = &ir.Type{Kind: ir.Slice, Go: named("Names"), Name: "Names", Elem: all["string"]}

	field := func(name string, t *ir.Type, required bool, k *ir.Constraints) *ir.Property {
		return &ir.Property{Name: name, Go: strings.ToUpper(name), Type: t, Required: required, Constraints: k}
	}
	one := constant.MakeInt64(1)
	point := &ir.Type{Kind: ir.Struct, Go: named("Point"), Fields: []*ir.Property{
		field("lat", all["float64"], true, nil),
		field("lon", all["*int"], false, &ir.Constraints{Min: one}),
		{Name: "n", Type: all["int"], Quoted: true},
		field("re", all["string"], false, &ir.Constraints{Regexp: "^a"}),
	}}
	all["point"], all["*point"], all["[]point"] = point, pointer(point), &ir.Type{Kind: ir.Slice, Go: types.NewSlice(point.Go), Elem: point}
	all["open"] = &ir.Type{Kind: ir.Struct, Go: named("Open"), Open: true, Fields: []*ir.Property{field("a", all["bool"], false, nil)}}
	all["shape"] = &ir.Type{Kind: ir.Union, Go: named("Shape"), Discriminator: "kind", Arms: []*ir.Arm{{Value: "point", Type: point}, {Value: "open", Type: pointer(all["open"])}}}

	enum := func(kind ir.Kind, name string, values ...*ir.EnumValue) *ir.Type {
		return &ir.Type{Kind: kind, Go: named(name), Bits: 64, Enum: values}
	}
	value := func(goName, name, text string, v constant.Value) *ir.EnumValue {
		return &ir.EnumValue{Const: types.NewConst(token.NoPos, pkg, goName, types.Typ[types.Int], v), Name: name, JSON: text}
	}
	all["unit"] = enum(ir.String, "Unit", value("Celsius", "", `"celsius"`, constant.MakeString("celsius")), value("Kelvin", "", `"kelvin"`, constant.MakeString("kelvin")))
	all["level"] = enum(ir.Int, "Level", value("LevelLow", "", "1", constant.MakeInt64(1)), value("LevelHigh", "high", `"high"`, constant.MakeInt64(2)))
	openUnit := *all["unit"]
	openUnit.Open = true
	all["openunit"] = &openUnit
	all["[]openunit"] = &ir.Type{Kind: ir.Slice, Go: types.NewSlice(openUnit.Go), Elem: &openUnit}
	return all
}
