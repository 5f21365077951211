package analyze

import (
	"fmt"
	"go/constant"
	"go/token"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/runtime/args"
)

// formats are those of JSON Schema that generated code can check.
var formats = map[string]func(string) bool{
	"date-time": args.IsDateTime, "date": args.IsDate, "time": args.IsTime, "duration": args.IsDuration,
	"email": args.IsEmail, "hostname": args.IsHostname, "ipv4": args.IsIPv4, "ipv6": args.IsIPv6,
	"uri": args.IsURI, "uri-reference": args.IsURIReference, "uuid": args.IsUUID,
}

// A constrainer applies the directives about one property.
type constrainer struct {
	*analyzer
	p     *ir.Property
	t     *ir.Type // of the property; of a pointer, what it points to
	where *site
	d     *directive.Directive
	v     *directive.Value
	re    *regexp.Regexp

	items  *constrainer // of the elements; nil if nothing is said about them
	prefix string       // of keys, in messages: "items." if this is about elements
}

// ofItems begins the keys about elements.
const ofItems = "items."

// maxLength is the largest count that minlen and maxlen take.
const maxLength = math.MaxInt32

// constrain applies the directives about a parameter or field to its property.
func (a *analyzer) constrain(p *ir.Property, notes []*directive.Directive, w *site) {
	c := &constrainer{analyzer: a, p: p, t: p.Type, where: w}
	if c.t.Kind == ir.Pointer {
		c.t = c.t.Elem
	}
	if c.t.Kind == invalid {
		return
	}
	given := make(map[string]bool)
	// Whether a default or an example fits is asked when the constraints are known.
	for _, late := range []bool{false, true} {
		for _, d := range notes {
			c.d = d
			for i := range d.Given {
				c.v = &d.Given[i]
				if late != (c.v.Key == "default" || c.v.Key == "examples" || c.v.Key == "optional" || c.v.Key == "required") {
					continue
				}
				if given[c.v.Key] {
					c.problem("%s is given twice", c.v.Key)
					continue
				}
				given[c.v.Key] = true
				c.apply()
			}
		}
		if !late {
			c.consistent()
			if c.items != nil {
				c.items.consistent()
			}
		}
	}
	if given["required"] && given["default"] {
		c.problemf(c.d.Pos(), "//mcp:param %s: what has a default is optional; remove required or the default", p.Go)
	}
}

func (c *constrainer) problem(format string, args ...any) {
	name := c.p.Go
	text := c.prefix + c.v.Key
	if c.v.Text != "" {
		text += "=" + visible(c.v.Text)
	}
	c.problemf(c.v.Pos, "//mcp:param %s: %s: %s", name, text, fmt.Sprintf(format, args...))
}

// visible returns a text that stands on one line.
func visible(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

func (c *constrainer) apply() {
	p, t := c.p, c.t
	if key, ok := strings.CutPrefix(c.v.Key, ofItems); ok {
		c.applyToItems(key)
		return
	}
	switch c.v.Key {
	case "name":
		p.Name = c.v.Text
		if !argName.MatchString(p.Name) {
			c.problem("want a name of letters, digits and _")
		}
	case "optional":
		if p.Default != nil {
			c.problem("what has a default is optional anyway; remove optional")
		}
		p.Required = p.Required && c.where.dir == out // which has it always
	case "required":
		if c.where.dir == in {
			p.Required = true
		}
	case "default":
		c.defaultValue()
	case "examples":
		for _, s := range directive.Split(c.v.Text) {
			if l := c.literal(s); l != nil {
				p.Examples = append(p.Examples, l)
			}
		}
	case "min", "max":
		c.bound()
	case "minlen", "maxlen":
		c.length()
	case "pattern":
		if !c.want(t.Kind == ir.String && len(t.Enum) == 0, "a pattern is for strings") {
			return
		}
		text, err := goPattern(c.v.Text)
		if err != nil {
			c.problem("%v", err)
			return
		}
		c.constraints().Pattern, c.constraints().Regexp = c.v.Text, text
		c.re, _ = regexp.Compile(text)
	case "format":
		if !c.want(t.Kind == ir.String && len(t.Enum) == 0, "a format is for strings") {
			return
		}
		if _, ok := formats[c.v.Text]; !ok {
			known := slices.Sorted(maps.Keys(formats))
			if near := spelling.DidYouMean(c.v.Text, known); near != "" {
				c.problem("there is no such format%s", near)
			} else {
				c.problem("there is no such format; there are %s", strings.Join(known, ", "))
			}
			return
		}
		c.constraints().Format = c.v.Text
	case "enum":
		c.enumValues()
	case "header":
		c.header()
	}
}

// applyToItems applies a key to the elements of a list.
func (c *constrainer) applyToItems(key string) {
	if !c.want(c.t.Kind == ir.Slice || c.t.Kind == ir.Array, "items are those of slices and arrays") {
		return
	}
	elem := c.t.Elem
	if elem.Kind == ir.Pointer {
		elem = elem.Elem
	}
	switch elem.Kind {
	case ir.Int, ir.Uint, ir.Float, ir.String, ir.Bytes, ir.Duration, ir.BigInt, ir.Number:
	case invalid:
		return
	default:
		c.problem("only items that are numbers, strings, []byte or durations have constraints, not %s", c.typeString(elem.Go))
		return
	}
	if c.items == nil {
		c.items = &constrainer{analyzer: c.analyzer, p: &ir.Property{Go: c.p.Go, Type: elem}, t: elem, where: c.where, prefix: ofItems}
	}
	c.items.d, c.items.v = c.d, &directive.Value{Key: key, Text: c.v.Text, Pos: c.v.Pos}
	c.items.apply()
	if k := c.items.p.Constraints; k != nil {
		c.constraints().Items = k
	}
}

func (c *constrainer) constraints() *ir.Constraints {
	if c.p.Constraints == nil {
		c.p.Constraints = new(ir.Constraints)
	}
	return c.p.Constraints
}

// want complains, if something is not so, that a key does not fit the type.
func (c *constrainer) want(ok bool, rule string) bool {
	if ok {
		return true
	}
	if len(c.t.Enum) > 0 {
		c.problem("%s, and %s has its constants", rule, c.typeString(c.t.Go))
	} else if c.prefix != "" {
		c.problem("%s, and the items of %s have the type %s", rule, c.p.Go, c.typeString(c.t.Go))
	} else {
		c.problem("%s, and %s has the type %s", rule, c.p.Go, c.typeString(c.t.Go))
	}
	return false
}

func isNumber(t *ir.Type) bool {
	switch t.Kind {
	case ir.Int, ir.Uint, ir.Float, ir.BigInt, ir.Number:
		return len(t.Enum) == 0
	}
	return false
}

func (c *constrainer) bound() {
	if !c.want(isNumber(c.t) || c.t.Kind == ir.Duration, c.v.Key+" is for numbers and durations") {
		return
	}
	l, problem := literal(c.t, c.v.Text)
	if problem != "" {
		c.problem("%s", problem)
		return
	}
	if c.t.Kind == ir.Float && c.t.Bits == 32 {
		if near := nearestFloat32(l.Value); constant.Compare(l.Value, token.NEQ, number(near)) {
			c.problem("%s is no %s; the nearest is %s", c.v.Text, c.typeString(c.t.Go), near)
			return
		}
	}
	if c.v.Key == "min" {
		c.constraints().Min = l.Value
	} else {
		c.constraints().Max = l.Value
	}
}

// nearestFloat32 is the float32 nearest to a number, by its shortest decimal.
func nearestFloat32(v constant.Value) string {
	f, _ := constant.Float32Val(v)
	return strconv.FormatFloat(float64(f), 'g', -1, 32)
}

// boundText writes a bound as a directive does.
func (c *constrainer) boundText(v constant.Value) string {
	if n, ok := constant.Int64Val(v); ok && c.t.Kind == ir.Duration {
		return time.Duration(n).String()
	}
	return v.String()
}

func (c *constrainer) length() {
	ok := c.t.Kind == ir.String && len(c.t.Enum) == 0 || c.t.Kind == ir.Bytes || c.t.Kind == ir.Slice || c.t.Kind == ir.Map
	if c.t.Kind == ir.Array {
		c.problem("%s always has %d items", c.typeString(c.t.Go), c.t.Len)
		return
	}
	if !c.want(ok, c.v.Key+" is for strings, []byte, slices and maps") {
		return
	}
	n, err := strconv.ParseUint(c.v.Text, 10, 31)
	if err != nil || n > maxLength || strconv.FormatUint(n, 10) != c.v.Text {
		c.problem("want a count from 0 to %d", maxLength)
		return
	}
	if c.v.Key == "minlen" {
		c.constraints().MinLen = new(int(n))
	} else {
		c.constraints().MaxLen = new(int(n))
	}
}

func (c *constrainer) enumValues() {
	ok := c.t.Kind == ir.String || c.t.Kind == ir.Int || c.t.Kind == ir.Uint
	if !c.want(ok, "enum is for strings and integers") {
		return
	}
	seen := make(map[string]bool)
	for _, s := range directive.Split(c.v.Text) {
		if s == "" {
			c.problem("there is nothing between two commas, or before or after one")
			return
		}
		l, problem := literal(c.t, s)
		if problem != "" {
			c.problem("%s", problem)
			continue
		}
		if seen[l.JSON] {
			c.problem("%s stands there twice", s)
		}
		seen[l.JSON] = true
		c.constraints().Enum = append(c.constraints().Enum, l)
	}
}

// maxSafe is the largest integer that a JSON number holds exactly everywhere.
var maxSafe = constant.MakeInt64(1<<53 - 1)

func (c *constrainer) header() {
	ok := c.t.Kind == ir.String || c.t.Kind == ir.Int || c.t.Kind == ir.Uint || c.t.Kind == ir.Bool
	if !c.want(ok, "a header is for strings, integers and booleans") {
		return
	}
	if !tchars.MatchString(c.v.Text) {
		c.problem("the name of a header has letters, digits and - only")
		return
	}
	if c.where.dir == in {
		c.p.Header = c.v.Text
	}
}

// consistent checks constraints against each other, and bounds integers that travel in headers.
func (c *constrainer) consistent() {
	if c.p.Header != "" && (c.t.Kind == ir.Int || c.t.Kind == ir.Uint) && len(c.t.Enum) == 0 && c.t.Bits == 64 {
		k := c.constraints()
		low := constant.UnaryOp(token.SUB, maxSafe, 0)
		if k.Min == nil && c.t.Kind == ir.Int {
			k.Min = low
		}
		if k.Max == nil {
			k.Max = maxSafe
		}
		if k.Min != nil && constant.Compare(k.Min, token.LSS, low) || constant.Compare(k.Max, token.GTR, maxSafe) {
			c.problemf(c.d.Pos(), "//mcp:param %s: the integers of a header lie within ±(2^53-1); min and max are beyond that", c.p.Go)
		}
	}
	k := c.p.Constraints
	if k == nil {
		return
	}
	if k.Min != nil && k.Max != nil && constant.Compare(k.Min, token.GTR, k.Max) {
		c.problemf(c.d.Pos(), "//mcp:param %s: %[2]smin=%[3]s is greater than %[2]smax=%[4]s", c.p.Go, c.prefix, c.boundText(k.Min), c.boundText(k.Max))
	}
	if k.MinLen != nil && k.MaxLen != nil && *k.MinLen > *k.MaxLen {
		c.problemf(c.d.Pos(), "//mcp:param %s: %[2]sminlen=%[3]d is greater than %[2]smaxlen=%[4]d", c.p.Go, c.prefix, *k.MinLen, *k.MaxLen)
	}
	for _, l := range k.Enum {
		if problem := c.unfit(l, false); problem != "" {
			c.problemf(c.d.Pos(), "//mcp:param %s: the enum's %s %s", c.p.Go, l.JSON, problem)
		}
	}
}

// literal reads a value that must satisfy the constraints.
func (c *constrainer) literal(s string) *ir.Literal {
	l, problem := literal(c.t, s)
	if problem == "" {
		problem = c.unfit(l, true)
		if problem != "" {
			problem = l.JSON + " " + problem
		}
	}
	if problem != "" {
		c.problem("%s", problem)
		return nil
	}
	return l
}

// unfit says why a value does not satisfy the constraints, or "".
func (c *constrainer) unfit(l *ir.Literal, enum bool) string {
	k := c.p.Constraints
	if k == nil {
		return ""
	}
	switch {
	case k.Min != nil && constant.Compare(l.Value, token.LSS, k.Min):
		return "is less than min=" + c.boundText(k.Min)
	case k.Max != nil && constant.Compare(l.Value, token.GTR, k.Max):
		return "is greater than max=" + c.boundText(k.Max)
	case enum && len(k.Enum) > 0 && !slices.ContainsFunc(k.Enum, func(e *ir.Literal) bool { return e.JSON == l.JSON }):
		return "is not in the enum"
	}
	if l.Value.Kind() != constant.String {
		return ""
	}
	s := constant.StringVal(l.Value)
	n := utf8.RuneCountInString(s)
	switch {
	case k.MinLen != nil && n < *k.MinLen:
		return "is shorter than minlen=" + itoa(*k.MinLen)
	case k.MaxLen != nil && n > *k.MaxLen:
		return "is longer than maxlen=" + itoa(*k.MaxLen)
	case c.re != nil && !c.re.MatchString(s):
		return "does not match the pattern"
	case k.Format != "" && !formats[k.Format](s):
		return "is no " + k.Format
	}
	return ""
}

func (c *constrainer) defaultValue() {
	switch {
	case c.p.Type.Kind == ir.Pointer:
		c.problem("a pointer is nil if the argument is left out; with a default, use %s", c.typeString(c.t.Go))
		return
	case c.p.Type.Kind == ir.Slice || c.p.Type.Kind == ir.Map || c.p.Type.Kind == ir.Array || c.p.Type.Kind == ir.Struct:
		c.problem("only scalars have a default; %s is empty if it is left out: write optional", c.typeString(c.t.Go))
		return
	case c.t.Kind == ir.Text || c.t.Kind == ir.JSON:
		c.problem("%s reads its values itself, so that a default cannot be checked; take a *%s, which is nil if it is left out", c.typeString(c.t.Go), c.typeString(c.t.Go))
		return
	}
	if l := c.literal(c.v.Text); l != nil && c.where.dir == in {
		c.p.Default = l
		c.p.Required = false
	}
}

// headers checks that headers are unique in a tool, and that each stands where its value can be found:
// never inside a list, a map, a union or a recursive type.
func (a *analyzer) headers(f *function, properties []*ir.Property) {
	names := make(map[string]string)
	seen := make(map[*ir.Type]bool)
	var visit func(t *ir.Type, fixed bool)
	check := func(ps []*ir.Property, fixed bool) {
		for _, p := range ps {
			if p.Header != "" {
				lower := strings.ToLower(p.Header)
				other, twice := names[lower]
				switch {
				case !fixed:
					a.problemf(f.decl.Name.Pos(), "%s: the header %s of %s belongs to a list, a map, a union or a recursive type, where its value has no fixed place", goName(f.fn), p.Header, p.Go)
				case twice:
					a.problemf(f.decl.Name.Pos(), "%s: %s and %s have the same header %s", goName(f.fn), other, p.Go, p.Header)
				}
				names[lower] = p.Go
			}
			visit(p.Type, fixed)
		}
	}
	headed := make(withHeaders)
	visit = func(t *ir.Type, fixed bool) {
		if seen[t] || !headed.in(t) {
			return
		}
		seen[t] = true
		defer delete(seen, t)
		switch t.Kind {
		case ir.Struct:
			check(t.Fields, fixed && !(a.cyclic && reaches(t, t, make(map[*ir.Type]bool))))
		case ir.Pointer:
			visit(t.Elem, fixed)
		default:
			for _, part := range parts(t) {
				visit(part, false)
			}
		}
	}
	check(properties, true)
}
