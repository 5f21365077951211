package emit

import (
	"go/constant"
	"go/types"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/internal/harmless"
)

// The functions here write the code that reads values. In it d is the decoder.

func (g *generator) d(method string, args ...jen.Code) *jen.Statement {
	return g.id("d").Dot(method).Call(args...)
}

// readProperty writes the statements that read the value of a property into target.
func (g *generator) readProperty(b *jen.Group, p *ir.Property, target *jen.Statement) {
	if p.Quoted {
		b.Add(g.d("Quoted"))
	}
	if p.Default != nil && p.Default.Value == nil && (p.Type.Kind == ir.Struct || p.Type.Kind == ir.Array) {
		b.Add(target.Clone().Op("=").Add(g.typ(p.Type.Go)).Values()) // not what the default has and the value has not
	}
	if p.Type.Kind == ir.Option {
		b.Add(target.Clone().Op("=").Add(g.args("Option").Call(g.id("d"), g.getElem(p.Type.Elem, orNone(p.Constraints)))))
		return
	}
	var c ir.Constraints
	if p.Constraints != nil {
		c = *p.Constraints
	}
	t := p.Type
	if p.Quoted {
		t = unnamed(t)
	}
	g.read(b, t, &c, target)
}

// none holds the constraints of values that no directive can reach.
var none ir.Constraints

// orNone returns the constraints of a part, which may have none.
func orNone(c *ir.Constraints) *ir.Constraints {
	if c != nil {
		return c
	}
	return &none
}

// read writes the statements that read a value of type t into target, which is addressable.
func (g *generator) read(b *jen.Group, t *ir.Type, c *ir.Constraints, target *jen.Statement) {
	if value := g.value(t, c); value != nil {
		b.Add(target.Clone().Op("=").Add(value))
		g.check(b, t, c, target)
		return
	}
	ref := jen.Op("&").Add(target.Clone())
	switch t.Kind {
	case ir.Pointer:
		g.readPointer(b, t, c, target)
	case ir.URL, ir.BigInt:
		g.readStruct(b, t, c, target)
	case ir.Text, ir.JSON:
		b.Add(g.own(t, ref))
	case ir.Array:
		if containsItself(t) {
			b.Add(jen.Id(g.getter(t)).Call(ref, g.id("d")))
			return
		}
		b.Add(g.args("Array").Call(g.id("d"), target.Clone().Index(jen.Op(":")), g.getElem(t.Elem, orNone(c.Items))))
		g.check(b, t, c, target)
	case ir.Struct, ir.Union:
		b.Add(jen.Id(g.getter(t)).Call(ref, g.id("d")))
	default:
		g.errorf("the kind %d of the type %s cannot be read", t.Kind, t.Go)
	}
}

// readPointer allocates what a pointer points to.
func (g *generator) readPointer(b *jen.Group, t *ir.Type, c *ir.Constraints, target *jen.Statement) {
	switch value := g.value(t.Elem, c); {
	case t.Elem.Kind == ir.URL || t.Elem.Kind == ir.BigInt:
		b.Add(target.Clone().Op("=").Add(g.structValue(t.Elem)))
		g.check(b, t.Elem, c, target)
	case value != nil:
		if isUnnamed(t.Elem) {
			value = g.typ(t.Elem.Go).Call(value)
		}
		b.Add(target.Clone().Op("=").New(value))
		g.check(b, t.Elem, c, jen.Op("*").Add(target.Clone()))
	default:
		b.Add(target.Clone().Op("=").New(g.typ(t.Elem.Go)))
		switch t.Elem.Kind {
		case ir.Struct, ir.Union:
			b.Add(jen.Id(g.getter(t.Elem)).Call(target.Clone(), g.id("d")))
		case ir.Text, ir.JSON:
			b.Add(g.own(t.Elem, target.Clone()))
		default:
			g.read(b, t.Elem, c, jen.Parens(jen.Op("*").Add(target.Clone())))
		}
	}
}

// isUnnamed reports whether value returns an expression of an unnamed type for a named type. It can be assigned to
// a variable of that type, but a pointer to it cannot.
func isUnnamed(t *ir.Type) bool {
	if _, named := types.Unalias(t.Go).(*types.Named); !named {
		return false
	}
	switch t.Kind {
	case ir.Bytes, ir.Any, ir.Slice, ir.Map:
		return !containsItself(t)
	}
	return false
}

// structValue is the expression that reads a value of a type which package args reads as a pointer.
func (g *generator) structValue(t *ir.Type) *jen.Statement {
	if t.Kind == ir.URL {
		return g.d("URL")
	}
	return g.d("BigInt")
}

// readStruct reads such a value where there is no pointer.
func (g *generator) readStruct(b *jen.Group, t *ir.Type, c *ir.Constraints, target *jen.Statement) {
	p := g.id("p")
	b.If(p.Clone().Op(":=").Add(g.structValue(t)), p.Clone().Op("!=").Nil()).BlockFunc(func(b *jen.Group) {
		g.check(b, t, c, p)
		if t.Kind == ir.BigInt {
			b.Add(target.Clone().Dot("Set").Call(p))
		} else {
			b.Add(target.Clone().Op("=").Op("*").Add(p))
		}
	})
}

// value is the expression that reads a value of type t, nil if it takes a statement to read it.
func (g *generator) value(t *ir.Type, c *ir.Constraints) *jen.Statement {
	if t.Kind != ir.Array && containsItself(t) {
		return jen.Id(g.getter(t)).Call(g.id("d"))
	}
	switch t.Kind {
	case ir.Bool:
		return g.convert(t.Go, types.Bool, g.d("Bool"))
	case ir.Int:
		if t.Named {
			return g.byName(t, c)
		}
		min, max := g.bounds(t, c)
		if list := g.enum(t, c); list != nil {
			min, max = g.typeBounds(t)
			return g.convert(t.Go, types.Int64, g.in(g.d("Int", min, max), list))
		}
		if isLarge(t, c) {
			return g.args("IntOf").Types(g.typ(t.Go)).Call(g.id("d"), min, max)
		}
		return g.convert(t.Go, types.Int64, g.d("Int", min, max))
	case ir.Uint:
		if t.Named {
			return g.byName(t, c)
		}
		min, max := g.bounds(t, c)
		if list := g.enum(t, c); list != nil {
			min, max = g.typeBounds(t)
			return g.convert(t.Go, types.Uint64, g.in(g.d("Uint", min, max), list))
		}
		if isLarge(t, c) {
			return g.args("UintOf").Types(g.typ(t.Go)).Call(g.id("d"), min, max)
		}
		return g.convert(t.Go, types.Uint64, g.d("Uint", min, max))
	case ir.Float:
		min, max := g.bounds(t, c)
		if list := g.enum(t, c); list != nil {
			min, max = jen.Op("-").Add(g.std("math", "MaxFloat64")), g.std("math", "MaxFloat64")
			return g.convert(t.Go, types.Float64, g.in(g.d("Float", min, max), list))
		}
		if t.Bits == 32 {
			return g.convert(t.Go, types.Float32, g.d("Float32", min, max))
		}
		return g.convert(t.Go, types.Float64, g.d("Float", min, max))
	case ir.String:
		if list := g.enum(t, c); list != nil {
			return g.convert(t.Go, types.String, g.in(g.d("String"), list))
		}
		return g.convert(t.Go, types.String, g.d("String"))
	case ir.Bytes:
		if elem := t.Go.Underlying().(*types.Slice).Elem(); !types.Identical(elem, types.Typ[types.Byte]) {
			return g.typ(t.Go).Call(jen.String().Call(g.d("Bytes"))) // Go converts slices of other bytes by strings only
		}
		return g.d("Bytes") // assignable to a named type, too
	case ir.Time:
		if c.Format == "date" {
			return g.wrap(t, g.d("Date"))
		}
		return g.wrap(t, g.d("Time"))
	case ir.Duration:
		return g.d("Duration")
	case ir.Number:
		min, max := g.bounds(t, c)
		return g.typ(t.Go).Call(g.d("Number", min, max))
	case ir.Raw:
		return g.rawValue(t)
	case ir.Any:
		return g.d("Any")
	case ir.Slice:
		return g.args("Slice").Call(g.id("d"), g.getElem(t.Elem, orNone(c.Items)))
	case ir.Map:
		return g.args("Map").Call(g.id("d"), g.getName(t.Key, orNone(c.Keys)), g.getElem(t.Elem, orNone(c.Values)))
	}
	return nil
}

// wrap puts what was read into the structs that embed it.
func (g *generator) wrap(t *ir.Type, value *jen.Statement) *jen.Statement {
	for i := len(t.Inner) - 1; i >= 0; i-- {
		of := t.Go
		if i > 0 {
			of = t.Inner[i-1].Field.Type()
		}
		value = g.typ(of).Values(jen.Dict{jen.Id(t.Inner[i].Field.Name()): value})
	}
	return value
}

// unwrap is the opposite of wrap.
func unwrap(t *ir.Type, value *jen.Statement) *jen.Statement {
	if len(t.Inner) > 0 && strings.HasPrefix(value.GoString(), "*") {
		value = jen.Parens(value)
	}
	value = value.Clone()
	for _, step := range t.Inner {
		value = value.Dot(step.Field.Name())
	}
	return value
}

// rawValue reads any value; wire.Raw is what the decoder returns.
func (g *generator) rawValue(t *ir.Type) *jen.Statement {
	if n, ok := types.Unalias(t.Go).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == wirePath && n.Obj().Name() == "Raw" {
		return g.d("Raw")
	}
	return g.typ(t.Go).Call(g.d("Raw"))
}

// convert converts an expression of a basic type to another type, if it is one.
func (g *generator) convert(to types.Type, from types.BasicKind, s *jen.Statement) *jen.Statement {
	if types.Identical(to, types.Typ[from]) {
		return s
	}
	return g.typ(to).Call(s)
}

// ofMachine reports whether an integer type has as many bits as the machine.
func ofMachine(t *ir.Type) bool {
	b, ok := t.Go.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Int || b.Kind() == types.Uint)
}

// isLarge reports whether the bounds of an integer exceed its type on 32-bit machines.
func isLarge(t *ir.Type, c *ir.Constraints) bool {
	large := func(v constant.Value) bool {
		if v == nil {
			return false
		}
		n, exact := constant.Int64Val(v)
		return !exact || n < math.MinInt32 || n > math.MaxInt32
	}
	return ofMachine(t) && (large(c.Min) || large(c.Max))
}

// typeBounds are the limits of an integer type.
func (g *generator) typeBounds(t *ir.Type) (min, max *jen.Statement) {
	bits := strconv.Itoa(t.Bits)
	if ofMachine(t) {
		bits = ""
	}
	if t.Kind == ir.Uint {
		return jen.Lit(0), g.std("math", "MaxUint"+bits)
	}
	return g.std("math", "MinInt"+bits), g.std("math", "MaxInt"+bits)
}

// bounds are the limits of a number: those of a directive, else those of its type.
func (g *generator) bounds(t *ir.Type, c *ir.Constraints) (min, max *jen.Statement) {
	switch t.Kind {
	case ir.Int, ir.Uint:
		min, max = g.typeBounds(t)
	case ir.Float:
		min, max = g.floatBounds(t.Bits)
	default: // ir.Number
		min, max = g.floatBounds(64)
	}
	if c.Min != nil {
		min = number(c.Min, t.Kind)
	}
	if c.Max != nil {
		max = number(c.Max, t.Kind)
	}
	return min, max
}

func (g *generator) floatBounds(bits int) (min, max *jen.Statement) {
	max = g.std("math", "MaxFloat64")
	if bits == 32 {
		max = g.args("MaxFloat32")
	}
	return jen.Op("-").Add(max.Clone()), max
}

// number writes a constant number.
func number(v constant.Value, k ir.Kind) *jen.Statement { return jen.Id(numberText(v, k)) }

func numberText(v constant.Value, k ir.Kind) string {
	if i := constant.ToInt(v); i.Kind() == constant.Int && (k != ir.Float && k != ir.Number || constant.BitLen(i) <= 53) {
		return i.ExactString()
	}
	f, _ := constant.Float64Val(v)
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// maxInline is how many values a list may have to be written where it is used.
const maxInline = 8

// enum is the list of the values that a scalar may have, nil if it may have all.
func (g *generator) enum(t *ir.Type, c *ir.Constraints) []jen.Code {
	var values []jen.Code
	if c.Enum != nil {
		for _, l := range c.Enum {
			values = append(values, scalar(l.Value, t.Kind))
		}
	} else if t.IsClosed() {
		for _, v := range t.Enum {
			values = append(values, scalar(v.Const.Val(), t.Kind))
		}
	}
	if len(values) <= maxInline {
		return values
	}
	base := "Values"
	if t.Name != "" {
		base = typeName(t.Go)
	}
	key := "enum " + types.TypeString(t.Go, nil)
	if c.Enum != nil {
		key = "" // a list of its own
	}
	name, ok := g.names[key]
	if !ok || key == "" {
		name = g.declare("mcp" + base + "Values")
		if key != "" {
			g.names[key] = name
		}
		elem := map[ir.Kind]string{ir.Int: "int64", ir.Uint: "uint64", ir.Float: "float64", ir.String: "string"}[t.Kind]
		g.later = append(g.later, func() {
			g.file.Var().Id(name).Op("=").Index().Id(elem).Custom(multiline, values...)
			g.file.Line()
		})
	}
	return []jen.Code{jen.Id(name).Op("...")}
}

var multiline = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

func scalar(v constant.Value, k ir.Kind) jen.Code {
	if k == ir.String {
		return jen.Lit(constant.StringVal(v))
	}
	return number(v, k)
}

func (g *generator) in(value *jen.Statement, list []jen.Code) *jen.Statement {
	return g.args("In").Call(append([]jen.Code{g.id("d"), value}, list...)...)
}

// formats are what directives may demand of strings: the words for it and the function that knows.
var formats = map[string][2]string{
	"date-time":     {"a date and time such as 2006-01-02T15:04:05Z", "IsDateTime"},
	"date":          {"a date such as 2006-01-02", "IsDate"},
	"time":          {"a time such as 15:04:05Z", "IsTime"},
	"duration":      {"a duration such as P1DT12H", "IsDuration"},
	"email":         {"an email address", "IsEmail"},
	"hostname":      {"a host name", "IsHostname"},
	"ipv4":          {"an IPv4 address", "IsIPv4"},
	"ipv6":          {"an IPv6 address", "IsIPv6"},
	"uri":           {"a URI", "IsURI"},
	"uri-reference": {"a URI or a relative reference", "IsURIReference"},
	"uuid":          {"a UUID", "IsUUID"},
}

// check writes the statements that check what was just read into target.
func (g *generator) check(b *jen.Group, t *ir.Type, c *ir.Constraints, target *jen.Statement) {
	if c.MinLen != nil || c.MaxLen != nil {
		min, max := g.lengths(c)
		switch unit := units[t.Kind]; {
		case t.Kind == ir.String:
			b.Add(g.d("Length", g.plain(t, types.String, target), min, max))
		case unit != "":
			b.Add(g.d("Count", jen.Len(target.Clone()), min, max, jen.Lit(unit)))
		default:
			g.errorf("minlen and maxlen do not fit the type %s", t.Go)
		}
	}
	if t.Kind == ir.String && c.Regexp != "" {
		b.Add(g.d("Format", g.plain(t, types.String, target), matchOf(c), g.matcher(c)))
	}
	if t.Kind == ir.String && c.Format != "" {
		f, ok := formats[c.Format]
		if !ok {
			g.errorf("unknown format %q", c.Format)
			return
		}
		b.Add(g.d("Format", g.plain(t, types.String, target), jen.Lit(f[0]), g.args(f[1])))
	}
	if t.Kind == ir.Duration && (c.Min != nil || c.Max != nil) {
		min, max := g.durations(c)
		b.Add(g.d("DurationBounds", target.Clone(), min, max))
	}
	for _, x := range g.exclusive(t, c, target) {
		b.Add(g.d("Check", x.ok, jen.Lit(x.what)))
	}
	if c.MultipleOf != "" {
		b.Add(g.d("MultipleOf", jen.Lit(c.MultipleOf)))
	}
	if c.Unique {
		b.Add(g.args("Unique").Call(g.id("d"), slicing(t, target)))
	}
	if t.Kind == ir.BigInt && (c.Min != nil || c.Max != nil) {
		b.Add(g.d("BigBounds", target.Clone(), jen.Lit(exact(c.Min)), jen.Lit(exact(c.Max))))
	}
}

// slicing is the slice of the items of a slice or an array.
func slicing(t *ir.Type, target *jen.Statement) *jen.Statement {
	if t.Kind == ir.Array {
		return target.Clone().Index(jen.Op(":"))
	}
	return target.Clone()
}

// A demand is a condition on a value, and the text that says what is wanted if it is false.
type demand struct {
	ok   *jen.Statement
	what string
}

// exclusive returns the demands of exclusive bounds.
func (g *generator) exclusive(t *ir.Type, c *ir.Constraints, value *jen.Statement) []demand {
	var all []demand
	add := func(bound constant.Value, word, op, function string) {
		if bound == nil {
			return
		}
		n := number(bound, t.Kind)
		d := demand{value.Clone().Op(op).Add(n), wantBeyond(bound, t.Kind, word)}
		switch t.Kind {
		case ir.Duration:
			n, _ := constant.Int64Val(bound)
			d.ok = value.Clone().Op(op).Add(g.duration(time.Duration(n)))
		case ir.Number:
			d.ok = g.args(function).Call(jen.String().Call(value.Clone()), n)
		}
		all = append(all, d)
	}
	add(c.Above, "above", ">", "NumberAbove")
	add(c.Below, "below", "<", "NumberBelow")
	return all
}

// wantBeyond returns the words for an exclusive bound. Word is above or below.
func wantBeyond(bound constant.Value, k ir.Kind, word string) string {
	if k == ir.Duration {
		n, _ := constant.Int64Val(bound)
		return "a duration " + word + " " + time.Duration(n).String()
	}
	return "a number " + word + " " + numberText(bound, k)
}

func exact(v constant.Value) string {
	if v == nil {
		return ""
	}
	return constant.ToInt(v).ExactString()
}

// units are what values that have a length consist of.
var units = map[ir.Kind]string{ir.Bytes: "byte", ir.Slice: "item", ir.Array: "item", ir.Map: "member"}

// lengths are the limits of a length.
func (g *generator) lengths(c *ir.Constraints) (min, max *jen.Statement) {
	min, max = jen.Lit(0), g.std("math", "MaxInt")
	if c.MinLen != nil {
		min = jen.Lit(*c.MinLen)
	}
	if c.MaxLen != nil {
		max = jen.Lit(*c.MaxLen)
	}
	return min, max
}

// matchOf returns the text that a match of a pattern is wanted, with the pattern as in the schema.
func matchOf(c *ir.Constraints) *jen.Statement { return literal(wantMatch(c)) }

func wantMatch(c *ir.Constraints) string { return "a match of " + c.Pattern }

// matcher is the function that reports whether a string has a match.
func (g *generator) matcher(c *ir.Constraints) *jen.Statement {
	return jen.Id(g.pattern(c.Regexp)).Call().Dot("MatchString")
}

// pattern returns the function that returns a regular expression, compiled when it is first used.
func (g *generator) pattern(expr string) string {
	key := "pattern " + expr
	if name, ok := g.names[key]; ok {
		return name
	}
	name := g.declare("mcpPattern")
	g.names[key] = name
	g.later = append(g.later, func() {
		g.file.Var().Id(name).Op("=").Add(g.std("sync", "OnceValue")).Call(
			jen.Func().Params().Op("*").Add(g.std("regexp", "Regexp")).Block(
				jen.Return(g.std("regexp", "MustCompile").Call(literal(expr))),
			))
		g.file.Line()
	})
	return name
}

// literal writes a string, raw if that is possible, shorter and harmless.
func literal(s string) *jen.Statement {
	if quoted := strconv.Quote(s); len(quoted) > len(s)+2 && strconv.CanBackquote(s) && harmless.Text(s) == s {
		return jen.Id("`" + s + "`")
	}
	return jen.Lit(s)
}

// setDefault writes the statements that give target the default of a property.
func (g *generator) setDefault(b *jen.Group, p *ir.Property, target *jen.Statement) {
	t, pointer := p.Type, false
	for t.Kind == ir.Pointer {
		t, pointer = t.Elem, true
	}
	var value *jen.Statement
	switch l := p.Default; {
	case l.Const != nil && (l.Const.Exported() || l.Const.Pkg() == g.pkg.Types):
		value = g.qual(l.Const.Pkg().Path(), l.Const.Pkg().Name(), l.Const.Name())
	case t.Kind == ir.Bool:
		value = jen.Lit(constant.BoolVal(l.Value))
	case t.Kind == ir.Int || t.Kind == ir.Uint || t.Kind == ir.Float:
		value = number(l.Value, t.Kind)
	case t.Kind == ir.String:
		value = jen.Lit(constant.StringVal(l.Value))
	case t.Kind == ir.Duration:
		n, _ := constant.Int64Val(l.Value)
		value = g.duration(time.Duration(n))
	default: // read from its text, as an argument would be
		b.BlockFunc(func(b *jen.Group) {
			b.Add(g.id("d").Op(":=").Add(g.args("New")).Call(g.wire("Raw").Call(literal(l.JSON)), jen.False()))
			how := &ir.Property{Type: p.Type}
			if t.Kind == ir.Time {
				how.Constraints = p.Constraints
			}
			g.readProperty(b, how, target)
		})
		return
	}
	if pointer {
		value = jen.New(g.typ(t.Go).Call(value))
	}
	b.Add(target.Clone().Op("=").Add(value))
}

// durations are the limits of a duration.
func (g *generator) durations(c *ir.Constraints) (min, max *jen.Statement) {
	min, max = g.std("math", "MinInt64"), g.std("math", "MaxInt64")
	if c.Min != nil {
		n, _ := constant.Int64Val(c.Min)
		min = g.duration(time.Duration(n))
	}
	if c.Max != nil {
		n, _ := constant.Int64Val(c.Max)
		max = g.duration(time.Duration(n))
	}
	return min, max
}

// duration writes a duration in its largest unit.
func (g *generator) duration(n time.Duration) *jen.Statement {
	for _, u := range []struct {
		name string
		of   time.Duration
	}{{"Hour", time.Hour}, {"Minute", time.Minute}, {"Second", time.Second}, {"Millisecond", time.Millisecond},
		{"Microsecond", time.Microsecond}} {
		if n != 0 && n%u.of == 0 {
			return jen.Lit(int(n / u.of)).Op("*").Add(g.std("time", u.name))
		}
	}
	return jen.Lit(int(n))
}
