package bindings

import (
	"fmt"
	"go/types"
	"testing"

	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
)

// shapes has a named type of each kind of JSON value.
const shapes = `export interface S { a: string }
	export interface K { kind: "k" }
	export type List = string[];
	export type Color = "red" | "blue";
	export type Alias = S;`

func named(name string) *model.Expr { return &model.Expr{Kind: model.Ref, Name: name} }

func oneOf(arms ...*model.Expr) *model.Expr {
	u := &model.Expr{Kind: model.Union, Plan: &model.Plan{}}
	for _, a := range arms {
		u.Arms = append(u.Arms, &model.Arm{Expr: a})
	}
	return u
}

// The kind of raw JSON is checked if there is only one.
func TestRawKind(t *testing.T) {
	g := newGenerator(merged(t, [2]string{"2001-01-01", shapes}), Options{Package: "p"})
	kind := func(k model.Kind) *model.Expr { return &model.Expr{Kind: k} }
	for _, tt := range []struct {
		expr *model.Expr
		want string
	}{
		{nil, ""}, {kind(model.Unknown), ""}, {kind(model.AnyObject), "KindObject"}, {kind(model.Map), "KindObject"}, {kind(model.Struct), "KindObject"},
		{kind(model.Array), "KindArray"}, {kind(model.Tuple), "KindArray"}, {kind(model.String), "KindString"}, {kind(model.Enum), "KindString"},
		{kind(model.Integer), "KindNumber"}, {kind(model.Number), "KindNumber"}, {kind(model.Boolean), "KindBool"},
		{named("S"), "KindObject"}, {named("List"), "KindArray"}, {named("Color"), "KindString"}, {named("Alias"), "KindObject"}, {named("None"), ""},
		{oneOf(), ""}, {oneOf(kind(model.String)), "KindString"}, {oneOf(kind(model.String), named("Color")), "KindString"},
		{oneOf(kind(model.String), kind(model.Integer)), ""}, {oneOf(kind(model.String), kind(model.String), kind(model.Integer)), ""},
		{oneOf(kind(model.Unknown), kind(model.Integer)), ""}, {oneOf(kind(model.Integer), kind(model.Number)), "KindNumber"},
	} {
		if got := g.rawKind(tt.expr, 0); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.expr, got, tt.want)
		}
	}
	g.schema.Type("Alias").Expr = named("Alias")
	if got := g.rawKind(named("Alias"), 0); got != "" {
		t.Errorf("a type that stands for itself: got %q", got)
	}
}

// A union has a type of its own if all its arms are objects with names, and something tells them apart.
func TestIsObjects(t *testing.T) {
	g := newGenerator(merged(t, [2]string{"2001-01-01", shapes}), Options{Package: "p"})
	undecided := oneOf(named("S"), named("K"))
	undecided.Plan = nil
	for i, tt := range []struct {
		union *model.Expr
		want  bool
	}{
		{oneOf(named("S"), named("K")), true}, {undecided, false}, {oneOf(named("S"), named("List")), false}, {oneOf(named("S"), named("None")), false},
		{oneOf(named("S"), &model.Expr{Kind: model.String}), false}, {oneOf(named("S"), &model.Expr{Kind: model.String, Name: "K"}), false},
	} {
		if got := g.isObjects(tt.union); got != tt.want {
			t.Errorf("union %d: got %t, want %t", i, got, tt.want)
		}
	}
}

// What the model should have refused is an error, and no endless loop.
func TestBrokenModel(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(s *model.Schema)
		want   string
	}{
		"a type that is missing": {func(s *model.Schema) { s.Type("Alias").Expr = named("None") }, "bindings: None is not a type of the schema, or stands for itself"},
		"a limit that is no number": {func(s *model.Schema) {
			m := s.Type("S").Expr.Members[0]
			m.MaxItems, m.Type = "many", &model.Expr{Kind: model.Array, Elem: &model.Expr{Kind: model.String}}
		}, `bindings: S.a: the largest number of items is "many", which is no integer`},
	} {
		s := merged(t, [2]string{"2001-01-01", shapes})
		tt.change(s)
		_, err := Generate(s, Options{Package: "p"})
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	g := newGenerator(merged(t, [2]string{"2001-01-01", shapes}), Options{Package: "p"})
	g.schema.Type("Alias").Expr = named("Alias")
	g.shapeOf(named("Alias"))
	if got, want := fmt.Sprint(g.errs), "[bindings: Alias is not a type of the schema, or stands for itself]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// An optional member of Base64 is a pointer if the table of exceptions says that its empty value is not its absence; one
// that is filled in has the type of what is.
func TestBase64(t *testing.T) {
	imports := dependencies(t)
	s := merged(t, [2]string{"2001-01-01", "export interface T {\n/** @format byte */\na: string;\n/** @format byte */\nb?: string;\n/** @format byte */\nc?: string;\n/** @format byte */\nd: string }"})
	members := s.Type("T").Expr.Members
	members[0].Pointer, members[1].Pointer = true, true
	members[3].Fill = &model.Expr{Kind: model.Literal, Value: "aGk="}
	files, err := Generate(s, Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	made := compiles(t, imports, "p", files).Scope().Lookup("T").Type().Underlying().(*types.Struct)
	for i, want := range []string{"wire.Base64", "*wire.Base64", "wire.Base64", "string"} {
		if got := types.TypeString(made.Field(i).Type(), (*types.Package).Name); got != want {
			t.Errorf("%s: got %s, want %s", made.Field(i).Name(), got, want)
		}
	}
}

// A literal has the type of its value.
func TestLiteralShape(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  shapeKind
	}{{"x", stringShape}, {true, boolShape}, {parser.Number("7"), floatShape}} {
		if got := literalShape(&model.Expr{Kind: model.Literal, Value: tt.value}).kind; got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.value, got, tt.want)
		}
	}
}
