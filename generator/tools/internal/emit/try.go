package emit

import (
	"cmp"
	"encoding"
	"go/constant"
	"go/types"
	"log/slog"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Try reads the arguments of a call of a tool as the generated code does, without that code: it makes the same calls of
// package args, in the same order, and so has the same error. Methods of types that are not among those of the standard
// library cannot be called. What they would read counts as valid if nothing else is wrong, and unread names the types.
func Try(t *ir.Tool, raw wire.Raw) (unread []string, err error) {
	r := &trial{d: args.New(raw, t.Coerce)}
	r.object("", t.Input, t.Open, t.OneOf)
	return r.unread, r.d.Finish()
}

// A trial reads one value after the other, each method as the code does that the method of generator writes which is named
// in its comment. What it returns is the value, as far as something may ask for it: as a bool, int64, uint64, float32, float64,
// string, []byte, []any, map[any]any, time.Duration or *big.Int.
type trial struct {
	d      *args.Decoder
	unread []string
}

// object is readMembers, with the type that emitType writes.
func (r *trial) object(tag string, fields []*ir.Property, open bool, oneOf [][]string) {
	typ := &args.Type{Open: open}
	if tag != "" {
		typ.Members = append(typ.Members, args.Member{Name: tag, Required: true})
	}
	for _, p := range fields {
		typ.Members = append(typ.Members, args.Member{Name: p.Name, Required: p.Required, Null: !p.Required && takesNull(p.Type)})
	}
	for _, names := range oneOf {
		var list []int
		for _, name := range names {
			list = append(list, slices.IndexFunc(fields, func(p *ir.Property) bool { return p.Name == name }))
		}
		typ.OneOf = append(typ.OneOf, list)
	}
	for o := r.d.Object(typ); o.Next(); {
		i := slices.IndexFunc(fields, func(p *ir.Property) bool { return p.Name == o.Name })
		if i < 0 { // the tag
			r.d.Skip()
			continue
		}
		r.property(fields[i])
	}
}

// property is readProperty.
func (r *trial) property(p *ir.Property) {
	t, c := p.Type, orNone(p.Constraints)
	if p.Quoted {
		r.d.Quoted()
		t = unnamed(t)
	}
	if t.Kind == ir.Option {
		args.Option(r.d, r.elem(t.Elem, c))
		return
	}
	r.read(t, c)
}

// elem is getElem.
func (r *trial) elem(t *ir.Type, c *ir.Constraints) func(*any, *args.Decoder) {
	return func(v *any, _ *args.Decoder) { *v = r.read(t, c) }
}

// read is read.
func (r *trial) read(t *ir.Type, c *ir.Constraints) any {
	if t.Kind == ir.Pointer {
		return r.read(t.Elem, c)
	}
	v := r.value(t, c)
	if n, ok := v.(*big.Int); ok && n == nil || t.Kind == ir.Array && containsItself(t) {
		return v
	}
	r.check(t, c, v)
	return v
}

// value is value, with those that it takes statements to read.
func (r *trial) value(t *ir.Type, c *ir.Constraints) any {
	d := r.d
	if containsItself(t) {
		c = &none
	}
	switch t.Kind {
	case ir.Bool:
		return d.Bool()
	case ir.Int:
		if t.Named {
			return args.Named(d, namesOf(t, c, int64Of))
		}
		if list := listOf(t, c, int64Of); list != nil {
			return args.In(d, d.Int(intBounds(t, &none)), list...)
		}
		return d.Int(intBounds(t, c))
	case ir.Uint:
		if t.Named {
			return args.Named(d, namesOf(t, c, uint64Of))
		}
		if list := listOf(t, c, uint64Of); list != nil {
			return args.In(d, d.Uint(uintBounds(t, &none)), list...)
		}
		return d.Uint(uintBounds(t, c))
	case ir.Float:
		if list := listOf(t, c, float64Of); list != nil {
			return args.In(d, d.Float(-math.MaxFloat64, math.MaxFloat64), list...)
		}
		if t.Bits == 32 {
			return d.Float32(floatBounds(args.MaxFloat32, c))
		}
		return d.Float(floatBounds(math.MaxFloat64, c))
	case ir.String:
		if list := listOf(t, c, constant.StringVal); list != nil {
			return args.In(d, d.String(), list...)
		}
		return d.String()
	case ir.Bytes:
		return d.Bytes()
	case ir.Time:
		if c.Format == "date" {
			return d.Date()
		}
		return d.Time()
	case ir.Duration:
		return d.Duration()
	case ir.URL:
		return d.URL()
	case ir.BigInt:
		return d.BigInt()
	case ir.Number:
		return d.Number(floatBounds(math.MaxFloat64, c))
	case ir.Raw:
		return d.Raw()
	case ir.Any:
		return d.Any()
	case ir.Text:
		if t.Schema == "" || checkedSchema(t.Schema).Takes(d) {
			d.Text(r.text(t.Go))
		}
	case ir.JSON:
		if r.miss(t.Go); t.Schema == "" || checkedSchema(t.Schema).Takes(d) {
			d.JSON(accept{})
		}
	case ir.Slice:
		return args.Slice(d, r.elem(t.Elem, orNone(c.Items)))
	case ir.Array:
		list := make([]any, t.Len)
		args.Array(d, list, r.elem(t.Elem, orNone(c.Items)))
		return list
	case ir.Map:
		return args.Map(d, r.name(t.Key, orNone(c.Keys)), r.elem(t.Elem, orNone(c.Values)))
	case ir.Struct:
		r.object("", t.Fields, t.Open, nil)
	case ir.Union:
		r.union(t)
	}
	return nil
}

// union is emitGetUnion, with emitGetScalars.
func (r *trial) union(t *ir.Type) {
	values := make([]string, len(t.Arms))
	for i, a := range t.Arms {
		values[i] = a.Value
	}
	is := ""
	if t.Discriminator == "" {
		is = r.d.Type(values...)
	} else {
		is = r.d.Tag(t.Discriminator, values...)
	}
	for _, a := range t.Arms {
		switch {
		case a.Value != is:
		case t.Discriminator == "":
			r.read(a.Type, &none)
		default:
			of := deref(a.Type)
			r.object(t.Discriminator, of.Fields, of.Open, nil)
		}
	}
}

// name is getName.
func (r *trial) name(t *ir.Type, c *ir.Constraints) func(*args.Decoder, string) any {
	return func(d *args.Decoder, name string) any {
		switch {
		case t.Kind == ir.String && c != &none:
			if list := listOf(t, c, constant.StringVal); list != nil {
				d.NameIn(name, list...)
			}
			if c.MinLen != nil || c.MaxLen != nil {
				min, max := lengthsOf(c)
				d.NameLength(name, min, max)
			}
			if c.Regexp != "" {
				d.NameFormat(name, wantMatch(c), regexp.MustCompile(c.Regexp).MatchString)
			}
			if f, ok := formats[c.Format]; ok {
				d.NameFormat(name, f[0], knows[f[1]])
			}
			return name
		case t.IsClosed():
			spell := constant.Value.ExactString
			if t.Kind == ir.String {
				spell = constant.StringVal
			}
			d.NameIn(name, listOf(t, &none, spell)...)
			if t.Kind == ir.String {
				return name
			}
		case t.Kind == ir.Text:
			v := r.text(t.Go)
			d.NameText(name, v)
			switch _, foreign := v.(accept); {
			case isPointer(t.Go):
				return new(byte) // no other key
			case foreign:
				return name
			}
			return reflect.ValueOf(v).Elem().Interface() // which several texts may mean
		}
		switch t.Kind {
		case ir.Int:
			min, max := intBounds(t, &none)
			return d.NameInt(name, min, max)
		case ir.Uint:
			_, max := uintBounds(t, &none)
			return d.NameUint(name, max)
		}
		return name
	}
}

// check is check.
func (r *trial) check(t *ir.Type, c *ir.Constraints, v any) {
	d := r.d
	if c.MinLen != nil || c.MaxLen != nil {
		min, max := lengthsOf(c)
		if s, ok := v.(string); ok {
			d.Length(s, min, max)
		} else {
			d.Count(reflect.ValueOf(v).Len(), min, max, units[t.Kind])
		}
	}
	if s, ok := v.(string); ok && t.Kind == ir.String {
		if c.Regexp != "" {
			d.Format(s, wantMatch(c), regexp.MustCompile(c.Regexp).MatchString)
		}
		if f, ok := formats[c.Format]; ok {
			d.Format(s, f[0], knows[f[1]])
		}
	}
	if n, ok := v.(time.Duration); ok && (c.Min != nil || c.Max != nil) {
		min, max := time.Duration(math.MinInt64), time.Duration(math.MaxInt64)
		if c.Min != nil {
			min = time.Duration(int64Of(c.Min))
		}
		if c.Max != nil {
			max = time.Duration(int64Of(c.Max))
		}
		d.DurationBounds(n, min, max)
	}
	if c.Above != nil {
		d.Check(beyond(v, c.Above, 1, args.NumberAbove), wantBeyond(c.Above, t.Kind, "above"))
	}
	if c.Below != nil {
		d.Check(beyond(v, c.Below, -1, args.NumberBelow), wantBeyond(c.Below, t.Kind, "below"))
	}
	if c.MultipleOf != "" {
		d.MultipleOf(c.MultipleOf)
	}
	if list, ok := v.([]any); ok && c.Unique {
		for i, item := range list {
			if reflect.ValueOf(item).IsZero() {
				list[i] = nil // the zero value of the items here, as package args asks for it
			}
		}
		args.Unique(d, list)
	}
	if n, ok := v.(*big.Int); ok && (c.Min != nil || c.Max != nil) {
		d.BigBounds(n, exact(c.Min), exact(c.Max))
	}
}

// beyond reports whether a value is above or below an exclusive bound, as sign says. Is decides about a json.Number.
func beyond(v any, bound constant.Value, sign int, is func(string, float64) bool) bool {
	switch v := v.(type) {
	case time.Duration:
		return cmp.Compare(v, time.Duration(int64Of(bound))) == sign
	case float32:
		return cmp.Compare(v, float32(float64Of(bound))) == sign
	case float64:
		return cmp.Compare(v, float64Of(bound)) == sign
	case string:
		return is(v, float64Of(bound))
	}
	return false
}

// accept takes any text, and any JSON.
type accept struct{}

func (accept) UnmarshalText([]byte) error { return nil }
func (accept) UnmarshalJSON([]byte) error { return nil }

// text returns what reads the text of a type: of the standard library itself, in its place.
func (r *trial) text(t types.Type) encoding.TextUnmarshaler {
	if isPointer(t) {
		t = types.Unalias(t).(*types.Pointer).Elem()
	}
	switch types.TypeString(types.Unalias(t), nil) {
	case "math/big.Rat":
		return new(big.Rat)
	case "math/big.Float":
		return new(big.Float)
	case "net/netip.Addr":
		return new(netip.Addr)
	case "net/netip.AddrPort":
		return new(netip.AddrPort)
	case "net/netip.Prefix":
		return new(netip.Prefix)
	case "log/slog.Level":
		return new(slog.Level)
	case "regexp.Regexp":
		return new(regexp.Regexp)
	}
	r.miss(t)
	return accept{}
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}

// miss notes a type whose methods cannot be called.
func (r *trial) miss(t types.Type) {
	if name := types.TypeString(t, (*types.Package).Name); !slices.Contains(r.unread, name) {
		r.unread = append(r.unread, name)
	}
}

func int64Of(v constant.Value) int64 {
	n, _ := constant.Int64Val(constant.ToInt(v))
	return n
}

func uint64Of(v constant.Value) uint64 {
	n, _ := constant.Uint64Val(constant.ToInt(v))
	return n
}

func float64Of(v constant.Value) float64 {
	f, _ := constant.Float64Val(v)
	return f
}

// listOf is enum.
func listOf[T any](t *ir.Type, c *ir.Constraints, of func(constant.Value) T) []T {
	var list []T
	if c.Enum != nil {
		for _, l := range c.Enum {
			list = append(list, of(l.Value))
		}
	} else if t.IsClosed() {
		for _, v := range t.Enum {
			list = append(list, of(v.Const.Val()))
		}
	}
	return list
}

// namesOf is constants.
func namesOf[T int64 | uint64](t *ir.Type, c *ir.Constraints, of func(constant.Value) T) []args.Name[T] {
	var list []args.Name[T]
	for _, v := range t.Enum {
		if c.Enum == nil || contains(c.Enum, v.JSON) {
			list = append(list, args.Name[T]{Name: v.Name, Value: of(v.Const.Val())})
		}
	}
	return list
}

// intBounds, uintBounds and floatBounds are bounds, on a machine of 64 bits.
func intBounds(t *ir.Type, c *ir.Constraints) (min, max int64) {
	min, max = math.MinInt64, math.MaxInt64
	if !ofMachine(t) {
		min, max = -1<<(t.Bits-1), 1<<(t.Bits-1)-1
	}
	if c.Min != nil {
		min = int64Of(c.Min)
	}
	if c.Max != nil {
		max = int64Of(c.Max)
	}
	return min, max
}

func uintBounds(t *ir.Type, c *ir.Constraints) (min, max uint64) {
	max = math.MaxUint64
	if !ofMachine(t) {
		max = 1<<t.Bits - 1
	}
	if c.Min != nil {
		min = uint64Of(c.Min)
	}
	if c.Max != nil {
		max = uint64Of(c.Max)
	}
	return min, max
}

func floatBounds(most float64, c *ir.Constraints) (min, max float64) {
	min, max = -most, most
	if c.Min != nil {
		min = float64Of(c.Min)
	}
	if c.Max != nil {
		max = float64Of(c.Max)
	}
	return min, max
}

// lengthsOf is lengths.
func lengthsOf(c *ir.Constraints) (min, max int) {
	max = math.MaxInt
	if c.MinLen != nil {
		min = *c.MinLen
	}
	if c.MaxLen != nil {
		max = *c.MaxLen
	}
	return min, max
}

// knows has the functions of package args that formats names.
var knows = map[string]func(string) bool{
	"IsDateTime": args.IsDateTime, "IsDate": args.IsDate, "IsTime": args.IsTime, "IsDuration": args.IsDuration, "IsEmail": args.IsEmail,
	"IsHostname": args.IsHostname, "IsIPv4": args.IsIPv4, "IsIPv6": args.IsIPv6, "IsURI": args.IsURI, "IsURIReference": args.IsURIReference, "IsUUID": args.IsUUID,
}
