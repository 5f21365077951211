package diff

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/model"
)

var (
	once = model.Revs{"2001-01-01"}
	str  = &model.Expr{Kind: model.String}
	num  = &model.Expr{Kind: model.Number}
	null = &model.Expr{Kind: model.Null}
)

func lit(v any) *model.Expr { return &model.Expr{Kind: model.Literal, Value: v} }

func in(kind model.Kind, e *model.Expr) *model.Expr { return &model.Expr{Kind: kind, Elem: e} }

func union(arms ...*model.Expr) *model.Expr {
	e := &model.Expr{Kind: model.Union}
	for _, a := range arms {
		e.Arms = append(e.Arms, &model.Arm{Expr: a})
	}
	return e
}

func enum(open bool, values ...string) *model.Expr {
	e := &model.Expr{Kind: model.Enum, Open: open}
	for _, v := range values {
		e.Values = append(e.Values, &model.EnumValue{Value: v})
	}
	return e
}

func object(members ...*model.Member) *model.Expr {
	return &model.Expr{Kind: model.Struct, Members: members}
}

// Types are written as TypeScript has them.
func TestText(t *testing.T) {
	for want, e := range map[string]*model.Expr{
		"string": str, "number": {Kind: model.Integer}, "string | number": {Kind: model.ID}, `"a"`: lit("a"), "true": lit(true),
		`"a" | "b"`: enum(false, "a", "b"), `"a" | string`: enum(true, "a"), "T": {Kind: model.Ref, Name: "T"},
		"number[]": in(model.Array, num), `("a" | "b")[]`: in(model.Array, enum(false, "a", "b")), "string | string[]": in(model.OneOrMany, str),
		"number | null": in(model.Nullable, num), "{ [key: string]: number }": in(model.Map, num), "{}": object(),
		"{ a: string; b?: number }":             object(&model.Member{Name: "a", Type: str, Required: once}, &model.Member{Name: "b", Type: num}),
		"{ a?: string | null }[]":               in(model.Array, object(&model.Member{Name: "a", Type: in(model.Nullable, str)})),
		"{ [key: string]: string }":             {Kind: model.Struct, Rest: str},
		"{ a?: string; [key: string]: number }": {Kind: model.Struct, Members: []*model.Member{{Name: "a", Type: str}}, Rest: num},
		"[string, number]":                      {Kind: model.Tuple, Elems: []*model.Elem{{Type: str}, {Type: num}}},
		"unknown":                               {Kind: model.Raw}, "string | T": union(str, &model.Expr{Kind: model.Ref, Name: "T"}),
	} {
		if got := Text(e); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := Text(in(model.Raw, str)); got != "string" {
		t.Errorf("a raw value of a string is %s", got)
	}
}

// A type consists of its members, arms or values.
func TestParts(t *testing.T) {
	for _, test := range []struct {
		e    *model.Expr
		want []Part
	}{
		{object(&model.Member{Name: "a", Type: str, Required: once}, &model.Member{Name: "b", Type: num}), []Part{{"a", "string", false}, {"b", "number", true}}},
		{union(str, num), []Part{{Name: "| string"}, {Name: "| number"}}},
		{enum(true, "a"), []Part{{Name: `"a"`}}},
		{str, nil},
	} {
		if diff := cmp.Diff(test.want, Parts(&model.Type{Expr: test.e})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", Text(test.e), diff)
		}
	}
}

// A method is declared with who sends it, its params, results and capability.
func TestMethodDeclaration(t *testing.T) {
	s := &model.Schema{Methods: []*model.Method{
		{Name: "a", ToServer: once},
		{Name: "b", ToServer: once, ToClient: once, AsInput: once, Params: "P", Results: []model.Result{{Name: "S"}, {Name: "R"}}, ServerCap: "tools"},
		{Name: "c", ToClient: once, Notification: true},
	}}
	for name, want := range map[string]string{
		"a":    "request of clients\n",
		"b":    "request of clients and servers and results of servers\nparams P\nresult R | S\ncapability tools\n",
		"c":    "notification of servers\n",
		"none": "",
	} {
		if got := MethodDeclaration(s, name); got != want {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
	if got := ConstDeclaration(&model.Const{Name: "C", Value: "x"}); got != "const C = \"x\"\n" {
		t.Errorf("a constant: %s", got)
	}
}

// What is said of a change of a method, and whom it breaks.
func TestCompareMethods(t *testing.T) {
	result := func(names ...string) (all []model.Result) {
		for _, name := range names {
			all = append(all, model.Result{Name: name})
		}
		return all
	}
	for _, test := range []struct {
		older, newer model.Method
		want         []string
		direction    string
	}{
		{model.Method{ToServer: once, ToClient: once}, model.Method{ToServer: once},
			[]string{"changed method m [request of clients and servers → request of clients] breaks server: it is no longer sent this way"}, "both ways"},
		{model.Method{ToServer: once, AsInput: once}, model.Method{ToServer: once, ToClient: once},
			[]string{"changed method m [request of clients and results of servers → request of clients and servers]"}, "both ways"},
		{model.Method{ToServer: once}, model.Method{ToServer: once, Params: "P"},
			[]string{"changed method m [params none → params P] breaks client: its params have another type"}, "client → server"},
		{model.Method{ToServer: once}, model.Method{ToServer: once, Params: "P", Optional: true},
			[]string{"changed method m [params none → params P]"}, "client → server"},
		{model.Method{ToClient: once, Params: "P"}, model.Method{ToClient: once},
			[]string{"changed method m [params P → params none]"}, "server → client"},
		{model.Method{ToServer: once, Results: result("A")}, model.Method{ToServer: once, Results: result("B", "A")},
			[]string{"changed method m [result A → result A | B] breaks client: the result may have another type"}, "server → client"},
		{model.Method{ToServer: once, Results: result("A", "B")}, model.Method{ToServer: once, Results: result("A")},
			[]string{"changed method m [result A | B → result A] breaks server: the result can no longer have this type"}, "server → client"},
		{model.Method{ToServer: once}, model.Method{ToServer: once, ServerCap: "a"},
			[]string{"changed method m [capability none → capability a] breaks server: the capability must be declared"}, "client → server"},
		{model.Method{ToServer: once, ServerCap: "a"}, model.Method{ToServer: once, ServerCap: "b"},
			[]string{"changed method m [capability a → capability b] breaks client server: the capability that covers it has another name"}, "client → server"},
		{model.Method{ToServer: once, ServerCap: "a"}, model.Method{ToServer: once},
			[]string{"changed method m [capability a → capability none]"}, "client → server"},
		{model.Method{ToServer: once}, model.Method{ToServer: once, Doc: model.Doc{Text: "x"}}, []string{"documented method m []"}, "client → server"},
		{model.Method{ToServer: once, Doc: model.Doc{Text: "x"}}, model.Method{ToServer: once, Doc: model.Doc{Text: "x", Deprecated: "y"}}, []string{"deprecated method m [y]"}, "client → server"},
		{model.Method{AsInput: once}, model.Method{AsInput: once}, nil, ""},
	} {
		test.older.Name, test.newer.Name = "m", "m"
		var got []string
		for _, ch := range Compare(&model.Schema{Methods: []*model.Method{&test.older}}, &model.Schema{Methods: []*model.Method{&test.newer}}) {
			got = append(got, line(ch))
			if ch.Direction() != test.direction {
				t.Errorf("%s: it is sent %s, want %s", line(ch), ch.Direction(), test.direction)
			}
			if class := map[bool]Class{true: Breaking, false: Compatible}[len(ch.Breaks) > 0]; ch.Class != class && ch.Kind != Documented {
				t.Errorf("%s is %s", line(ch), ch.Class)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

// Which types accept all values of which.
func TestAccepts(t *testing.T) {
	named := func(name string) *model.Expr { return &model.Expr{Kind: model.Ref, Name: name} }
	older := made(t, "2001-01-01", `interface P { a: Old; b: Both; c: OldObject; d: Choice; e: Any } type Old = string; type Both = string; interface OldObject { x?: string } type Choice = "a" | "b"; type Any = unknown;`)
	newer := made(t, "2002-02-02", `interface P { a: New; b: Both; c: NewObject; d: Choice; e: Any } type New = number; type Both = string; interface NewObject { x?: string } type Choice = "a" | "b"; type Any = unknown;`)
	id, integer, anyObject, unknown := &model.Expr{Kind: model.ID}, &model.Expr{Kind: model.Integer}, &model.Expr{Kind: model.AnyObject}, &model.Expr{Kind: model.Unknown}
	a := func(required bool, e *model.Expr) *model.Member {
		m := &model.Member{Name: "a", Type: e}
		if required {
			m.Required = once
		}
		return m
	}
	all := in(model.Nullable, union(str, num, &model.Expr{Kind: model.Boolean}, in(model.Array, unknown), anyObject))
	for _, test := range []struct {
		a, b        *model.Expr
		there, back bool // a accepts b, b accepts a
	}{
		{unknown, str, true, false},
		{all, num, true, false},
		{all, unknown, true, true},
		{in(model.Nullable, union(str, num)), unknown, false, true},
		{in(model.Raw, str), lit("x"), true, false},
		{num, integer, true, true},
		{id, str, true, false},
		{id, integer, true, false},
		{id, lit("x"), true, false},
		{id, num, false, false},
		{str, enum(true, "a"), true, true},
		{str, lit("x"), true, false},
		{&model.Expr{Kind: model.String, Pattern: "^a"}, lit("x"), false, false},
		{enum(true, "a"), enum(false, "b"), true, false},
		{enum(true, "a"), lit("b"), true, false},
		{enum(false, "a", "b"), enum(false, "a"), true, false},
		{enum(false, "a", "b"), enum(false, "c"), false, false},
		{enum(false, "a", "b"), enum(true, "a"), false, true},
		{in(model.Nullable, str), null, true, false},
		{in(model.Nullable, str), in(model.Nullable, lit("x")), true, false},
		{str, in(model.Nullable, str), false, true},
		{in(model.OneOrMany, str), str, true, false},
		{in(model.OneOrMany, str), in(model.Array, lit("x")), true, false},
		{in(model.OneOrMany, str), in(model.OneOrMany, lit("x")), true, false},
		{in(model.OneOrMany, str), in(model.Array, num), false, false},
		{in(model.Array, str), in(model.Array, lit("x")), true, false},
		{in(model.Array, str), str, false, false},
		{in(model.Map, str), in(model.Map, lit("x")), true, false},
		{in(model.Map, str), anyObject, false, true},
		{in(model.Map, unknown), anyObject, true, true},
		{in(model.Map, unknown), object(), true, false},
		{in(model.Map, str), object(), false, false},
		{in(model.Map, unknown), named("NewObject"), true, false},
		{named("Old"), lit("x"), true, false},
		{str, named("New"), false, false},
		{num, named("New"), true, true},
		{anyObject, object(), true, false},
		{anyObject, in(model.Array, str), false, false},
		{union(str, num), lit("x"), true, false},
		{union(str, num), union(lit("x"), num), true, false},
		{union(str, num), null, false, false},
		{named("Both"), lit("x"), true, false},
		{named("Both"), named("New"), false, false},
		{named("Choice"), lit("a"), true, false},
		{named("Choice"), lit("c"), false, false},
		{enum(false, "a", "b"), lit("b"), true, false},
		{anyObject, in(model.Map, str), true, false},
		{anyObject, named("NewObject"), true, false},
		{in(model.Map, unknown), in(model.Map, str), true, false},
		{enum(false, "a", "b", "c"), named("Choice"), true, false},
		{named("Any"), str, true, false},
		{object(a(true, str)), object(a(false, str)), false, true},
		{object(a(true, str)), object(a(true, lit("x"))), true, false},
		{object(a(true, str)), object(), false, true},
		{object(a(false, str)), object(), true, true},
		{object(), str, false, false},
	} {
		x, y := typeIn{older, test.a}, typeIn{newer, test.b}
		if got := x.accepts(y); got != test.there {
			t.Errorf("%s accepts %s: %t", Text(test.a), Text(test.b), got)
		}
		if got := y.accepts(x); got != test.back {
			t.Errorf("%s accepts %s: %t", Text(test.b), Text(test.a), got)
		}
	}
}
