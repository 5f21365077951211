// Package constraint reads what directives and schemas say about values: bounds, lengths, patterns, formats, enums, defaults
// and examples.
package constraint

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/runtime/args"
)

// A Checker applies directives to the properties of one package.
type Checker struct {
	problemf   func(pos token.Pos, format string, args ...any)
	typeString func(types.Type) string
	later      []func() // what waits until all types are known
}

// NewChecker returns a Checker that reports problems to problemf, and writes types as typeString does.
func NewChecker(problemf func(pos token.Pos, format string, args ...any), typeString func(types.Type) string) *Checker {
	return &Checker{problemf: problemf, typeString: typeString}
}

// Finish checks what needs all types: defaults in JSON, and constraints of parts. Types may be added after it, and then
// it is called again.
func (c *Checker) Finish() {
	later := c.later
	c.later = nil
	for _, f := range later {
		f()
	}
}

// IsName reports whether a text can be the name of a property or a discriminator.
func IsName(s string) bool {
	return utf8.RuneCountInString(s) <= maxName && propertyName.MatchString(s)
}

// maxName is how many characters a name has. The pattern does not say so: it would take a hundredth of a second to compile.
const maxName = 128

var (
	propertyName = regexp.MustCompile(`^[\pL_$][\pL\pN_$.-]*$`)
	headerName   = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$") // a token of RFC 9110
)

// formats lists the formats of JSON Schema that generated code can check.
var formats = map[string]func(string) bool{
	"date-time": args.IsDateTime, "date": args.IsDate, "time": args.IsTime, "duration": args.IsDuration,
	"email": args.IsEmail, "hostname": args.IsHostname, "ipv4": args.IsIPv4, "ipv6": args.IsIPv6,
	"uri": args.IsURI, "uri-reference": args.IsURIReference, "uuid": args.IsUUID,
}

// A Note is a directive about a property, or about a part of it.
type Note struct {
	*directive.Directive
	Part string // such as items or values.items; empty if it is about the property itself
}

// A constrainer applies the directives about one property, or about the parts of it.
type constrainer struct {
	*Checker
	p     *ir.Property
	t     *ir.Type // of the property; of a pointer, what it points to
	input bool     // of arguments, not of results
	d     *directive.Directive
	v     *directive.Value
	key   string // of v, without the words that lead to a part
	given map[string]bool
	re    *regexp.Regexp

	what   string // the property, or "the items of …"
	prefix string // of keys, in messages: "items." if this is about items
	parts  map[string]*constrainer
}

// dateOnly is the format of a time.Time without its time.
const dateOnly = "date"

// maxLength is the largest count that minlen and maxlen accept.
const maxLength = math.MaxInt32

func (c *Checker) newConstrainer(p *ir.Property, input bool, what, prefix string) *constrainer {
	k := &constrainer{Checker: c, p: p, t: p.Type, input: input, what: what, prefix: prefix, given: make(map[string]bool), parts: make(map[string]*constrainer)}
	if k.t.MayBeAbsent() {
		k.t = k.t.Elem
	}
	if p.Constraints != nil && p.Constraints.Regexp != "" {
		k.re = regexp.MustCompile(p.Constraints.Regexp)
	}
	return k
}

// isLate reports whether a key is handled after the constraints are known.
func isLate(key string) bool {
	return key == "default" || key == "examples" || key == "optional" || key == "required"
}

// Apply applies the directives about a parameter, field or result to its property. Input says that it is an argument.
func (c *Checker) Apply(p *ir.Property, notes []Note, input bool) {
	if k := c.newConstrainer(p, input, p.Go, ""); k.t.Kind != ir.Invalid && len(notes) > 0 {
		k.applyAll(notes)
	}
}

// applyAll applies directives, those last that depend on constraints.
func (c *constrainer) applyAll(notes []Note) {
	p := c.p
	inherited := p.Default
	c.d = notes[0].Directive // in case all of them are late
	for _, late := range []bool{false, true} {
		for _, n := range notes {
			for i := range n.Given {
				v := &n.Given[i]
				key := v.Key
				if n.Part != "" {
					key = n.Part + "." + key
				}
				if late == isLate(v.Key) {
					c.apply(n.Directive, v, key)
				}
			}
		}
		if !late {
			c.consistent()
		}
	}
	c.d = notes[len(notes)-1].Directive
	if c.given["required"] && c.given["default"] {
		c.problemf(c.d.Pos(), "%s: what has a default is optional; remove required or the default", c.cited())
	}
	if c.given["required"] && inherited != nil {
		p.Default = nil
	} else if inherited != nil && p.Default == inherited && inherited.Value != nil {
		if problem := c.unfit(inherited, true); problem != "" {
			c.problemf(c.d.Pos(), "%s: the default of the field, %s, %s", c.cited(), inherited.JSON, problem)
		}
	}
}

// cited returns the directive with its first argument, as messages cite it.
func (c *constrainer) cited() string {
	if len(c.d.Words) > 0 {
		return c.d.String()
	}
	return c.d.String() + " " + c.p.Go
}

func (c *constrainer) problem(format string, args ...any) {
	text := c.v.Key
	if c.v.Text != "" {
		text += "=" + directive.Visible(c.v.Text)
	}
	c.problemf(c.v.Pos, "%s: %s: %s", c.cited(), text, fmt.Sprintf(format, args...))
}

// excluded holds, for a key, the one that cannot be used with it.
var excluded = map[string]string{"min": "above", "above": "min", "max": "below", "below": "max"}

// apply applies a flag or a key, which may be about a part: items.min.
func (c *constrainer) apply(d *directive.Directive, v *directive.Value, key string) {
	c.d, c.v, c.key = d, v, key
	if word, rest, ok := strings.Cut(key, "."); ok && directive.IsPart(word) {
		c.applyToPart(word, rest)
		return
	}
	if c.prefix != "" && (isLate(key) || key == "name" || key == "header" || key == "fields") {
		c.problem("%s is about a whole parameter or field, not about %s", key, c.what)
		return
	}
	if c.given[key] {
		c.problem("%s is given twice", c.prefix+key)
		return
	}
	c.given[key] = true
	if other := excluded[key]; c.given[other] {
		c.problem("%s and %s are both given; one of them must go", c.prefix+other, c.prefix+key)
		return
	}
	c.applyOwn()
}

// applyOwn applies a flag or a key that is about the value itself.
func (c *constrainer) applyOwn() {
	p, t := c.p, c.t
	switch c.key {
	case "name":
		p.Name = c.v.Text
		if !IsName(p.Name) {
			c.problem("want a name of letters, digits and _")
		}
	case "optional":
		if p.Default != nil {
			c.problem("what has a default is optional anyway; remove optional")
		}
		p.Required = p.Required && !c.input // which has it always
	case "required":
		if c.input {
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
	case "min", "max", "above", "below":
		c.bound()
	case "multipleof":
		c.multiple()
	case "unique":
		c.unique()
	case "minlen", "maxlen":
		c.length()
	case "pattern":
		if !c.want(t.Kind == ir.String && !t.IsEnum(), "a pattern is for strings") {
			return
		}
		text, err := GoPattern(c.v.Text)
		if err != nil {
			c.problem("%v", err)
			return
		}
		c.constraints().Pattern, c.constraints().Regexp = c.v.Text, text
		c.re, _ = regexp.Compile(text)
	case "format":
		if t.Kind == ir.Time && c.v.Text == dateOnly {
			c.constraints().Format = dateOnly
			return
		}
		if !c.want(t.Kind != ir.Time, "a time.Time is a date-time; only format=date makes another of it") || !c.want(t.Kind == ir.String && !t.IsEnum(), "a format is for strings") {
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

func (c *constrainer) constraints() *ir.Constraints {
	if c.p.Constraints == nil {
		c.p.Constraints = new(ir.Constraints)
	}
	return c.p.Constraints
}

// want adds a problem, unless ok is true: the key does not fit the type.
func (c *constrainer) want(ok bool, rule string) bool {
	if ok {
		return true
	}
	what, has := c.what, "has"
	if strings.HasPrefix(what, "the ") {
		has = "have"
	}
	if c.t.IsEnum() {
		c.problem("%s, and %s has its constants", rule, c.typeString(c.t.Go))
	} else {
		c.problem("%s, and %s %s the type %s", rule, what, has, c.typeString(c.t.Go))
	}
	return false
}

func isNumber(t *ir.Type) bool {
	switch t.Kind {
	case ir.Int, ir.Uint, ir.Float, ir.BigInt, ir.Number:
		return !t.IsEnum()
	}
	return false
}

// bound reads min, max, above or below. Integers beyond a bound that is excluded begin with the next one, so they have
// Min and Max alone. A bound takes the place of an earlier one on its side, whether that was excluded or not.
func (c *constrainer) bound() {
	if !c.want(isNumber(c.t) || c.t.Kind == ir.Duration, c.key+" is for numbers and durations") {
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
	k, v := c.constraints(), l.Value
	if c.key == "above" || c.key == "below" {
		if c.t.Kind == ir.Int || c.t.Kind == ir.Uint || c.t.Kind == ir.BigInt {
			v = c.neighbour(v)
		} else if c.key == "above" {
			k.Above, k.Min = v, nil
			return
		} else {
			k.Below, k.Max = v, nil
			return
		}
	}
	if c.key == "min" || c.key == "above" {
		k.Min, k.Above = v, nil
	} else {
		k.Max, k.Below = v, nil
	}
}

// neighbour returns the integer next to an exclusive bound.
func (c *constrainer) neighbour(v constant.Value) constant.Value {
	op := token.ADD
	if c.key == "below" {
		op = token.SUB
	}
	next := constant.BinaryOp(v, op, constant.MakeInt64(1))
	if low, high := limits(c.t); low != nil && (constant.Compare(next, token.LSS, low) || constant.Compare(next, token.GTR, high)) {
		c.problem("there is no %s %s that", c.typeString(c.t.Go), c.key)
	}
	return next
}

// multiple reads the number that values must be multiples of.
func (c *constrainer) multiple() {
	if !c.want(isNumber(c.t), "multipleof is for numbers") {
		return
	}
	v := number(c.v.Text)
	switch {
	case v == nil:
		c.problem("%q is no number as JSON writes them", c.v.Text)
	case constant.Sign(v) <= 0:
		c.problem("want a number above 0")
	case !args.IsStep(c.v.Text):
		c.problem("want a number of at most 18 digits, and an exponent within ±400")
	case c.t.Kind != ir.Float && c.t.Kind != ir.Number && constant.ToInt(v).Kind() != constant.Int:
		c.problem("multiples among integers are those of an integer")
	default:
		c.constraints().MultipleOf = c.v.Text
	}
}

// unique adds the constraint that no two items of a list are equal, in Go and therefore in JSON.
func (c *constrainer) unique() {
	if !c.want(c.t.Kind == ir.Slice || c.t.Kind == ir.Array, "unique is for lists") {
		return
	}
	switch c.t.Elem.Kind {
	case ir.Bool, ir.Int, ir.Uint, ir.Float, ir.String:
		c.constraints().Unique = true
	default:
		c.problem("only lists of booleans, numbers and strings can be unique, and the items of %s have the type %s", c.what, c.typeString(c.t.Elem.Go))
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

// length reads minlen or maxlen: of strings in characters, of []byte in bytes, of slices in items, of maps in members.
func (c *constrainer) length() {
	ok := c.t.Kind == ir.String && !c.t.IsEnum() || c.t.Kind == ir.Bytes || c.t.Kind == ir.Slice || c.t.Kind == ir.Map
	if c.t.Kind == ir.Array {
		c.problem("%s always has %d items", c.typeString(c.t.Go), c.t.Len)
		return
	}
	if !c.want(ok, c.key+" is for strings, []byte, slices and maps") {
		return
	}
	n, err := strconv.ParseUint(c.v.Text, 10, 31) // up to maxLength
	if err != nil || strconv.FormatUint(n, 10) != c.v.Text {
		c.problem("want a count from 0 to %d", maxLength)
		return
	}
	if c.key == "minlen" {
		c.constraints().MinLen = new(int(n))
	} else {
		c.constraints().MaxLen = new(int(n))
	}
}

// enumValues reads the values that are allowed, in place of those that were given elsewhere. For an enum in Go, these
// are some of its constants.
func (c *constrainer) enumValues() {
	ok := c.t.Kind == ir.String || c.t.Kind == ir.Int || c.t.Kind == ir.Uint
	if !c.want(ok, "enum is for strings and integers") {
		return
	}
	seen := make(map[string]bool)
	c.constraints().Enum = nil
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

// header reads the name by which clients repeat an argument in an HTTP header, Mcp-Param-NAME, since 2026-07-28.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
func (c *constrainer) header() {
	ok := c.t.Kind == ir.String || c.t.Kind == ir.Int || c.t.Kind == ir.Uint || c.t.Kind == ir.Bool
	if !c.want(ok, "a header is for strings, integers and booleans") {
		return
	}
	if c.p.Type.Kind == ir.Option {
		c.problem("a header cannot say null; use *%s", c.typeString(c.t.Go))
		return
	}
	if !headerName.MatchString(c.v.Text) {
		c.problem("the name of a header has letters, digits and - only")
		return
	}
	if c.input {
		c.p.Header = c.v.Text
	}
}

// consistent checks constraints against each other, and bounds integers that travel in headers.
func (c *constrainer) consistent() {
	for _, word := range slices.Sorted(maps.Keys(c.parts)) {
		c.parts[word].consistent()
	}
	if c.p.Header != "" && !c.t.IsEnum() && c.t.Bits == 64 {
		k := c.constraints()
		low := constant.UnaryOp(token.SUB, maxSafe, 0)
		if k.Min == nil && c.t.Kind == ir.Int {
			k.Min = low
		}
		if k.Max == nil {
			k.Max = maxSafe
		}
		if k.Min != nil && constant.Compare(k.Min, token.LSS, low) || constant.Compare(k.Max, token.GTR, maxSafe) {
			c.problemf(c.d.Pos(), "%s: the integers of a header lie within ±(2^53-1); min and max are beyond that", c.cited())
		}
	}
	k := c.p.Constraints
	if k == nil {
		return
	}
	cited := c.cited()
	switch low, high := cmp.Or(k.Min, k.Above), cmp.Or(k.Max, k.Below); {
	case low == nil || high == nil:
	case k.Min != nil && k.Max != nil && constant.Compare(k.Min, token.GTR, k.Max):
		c.problemf(c.d.Pos(), "%s: %[2]smin=%[3]s is greater than %[2]smax=%[4]s", cited, c.prefix, c.boundText(k.Min), c.boundText(k.Max))
	case (k.Above != nil || k.Below != nil) && constant.Compare(low, token.GEQ, high):
		c.problemf(c.d.Pos(), "%s: there is nothing between %s and %s", cited, c.boundText(low), c.boundText(high))
	}
	if k.MinLen != nil && k.MaxLen != nil && *k.MinLen > *k.MaxLen {
		c.problemf(c.d.Pos(), "%s: %[2]sminlen=%[3]d is greater than %[2]smaxlen=%[4]d", cited, c.prefix, *k.MinLen, *k.MaxLen)
	}
	for _, l := range k.Enum {
		if problem := c.unfit(l, false); problem != "" {
			c.problemf(c.d.Pos(), "%s: the enum's %s %s", cited, l.JSON, problem)
		}
	}
}

// literal reads a value that must satisfy the constraints.
func (c *constrainer) literal(s string) *ir.Literal {
	l, problem := literal(c.t, s)
	if k := c.p.Constraints; k != nil && c.t.Kind == ir.Time && k.Format == dateOnly {
		l, problem = literal(&ir.Type{Kind: ir.String}, s)
	}
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
	case k.Above != nil && constant.Compare(l.Value, token.LEQ, k.Above):
		return "is not above " + c.boundText(k.Above)
	case k.Below != nil && constant.Compare(l.Value, token.GEQ, k.Below):
		return "is not below " + c.boundText(k.Below)
	case k.MultipleOf != "" && !args.IsMultipleOf(l.JSON, k.MultipleOf):
		return "is no multiple of " + k.MultipleOf
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
		return "is shorter than minlen=" + strconv.Itoa(*k.MinLen)
	case k.MaxLen != nil && n > *k.MaxLen:
		return "is longer than maxlen=" + strconv.Itoa(*k.MaxLen)
	case c.re != nil && !c.re.MatchString(s):
		return "does not match the pattern"
	case k.Format != "" && !formats[k.Format](s):
		return "is no " + k.Format
	}
	return ""
}
