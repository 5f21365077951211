package annotated

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// A source makes JSON texts for a schema: most of the values in them are as the schema wants them,
// often just so; with the probability wrong, each is not, often only just.
type source struct {
	*rand.Rand
	defs  map[string]any
	wrong float64
}

// newSource returns a source for schemas with these definitions.
func newSource(r *rand.Rand, schema map[string]any, wrong float64) *source {
	defs, _ := schema["$defs"].(map[string]any)
	return &source{r, defs, wrong}
}

func (s *source) mistake() bool { return s.Float64() < s.wrong }

func (s *source) chance(n int) bool { return s.IntN(n) == 0 }

func pick[T any](s *source, list ...T) T { return list[s.IntN(len(list))] }

// value returns a value for a schema.
func (s *source) value(schema map[string]any, depth int) string {
	if ref, ok := schema["$ref"].(string); ok {
		return s.value(s.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), depth)
	}
	if arms, ok := schema["oneOf"].([]any); ok {
		if depth > 5 {
			return s.value(arms[len(arms)-1].(map[string]any), depth)
		}
		return s.value(pick(s, arms...).(map[string]any), depth)
	}
	if arms, ok := schema["anyOf"].([]any); ok {
		return s.value(pick(s, arms...).(map[string]any), depth)
	}
	if s.mistake() && s.chance(2) {
		return s.anything(2)
	}
	if enum, ok := schema["enum"].([]any); ok {
		return s.constant(pick(s, enum...))
	}
	if c, ok := schema["const"]; ok {
		return s.constant(c)
	}
	switch schema["type"] {
	case "null":
		return "null"
	case "boolean":
		if s.mistake() {
			return pick(s, `"true"`, `0`, `null`, `"false"`)
		}
		return pick(s, "true", "false")
	case "integer":
		return s.number(schema, true)
	case "number":
		return s.number(schema, false)
	case "string":
		return s.quote(s.text(schema))
	case "array":
		return s.array(schema, depth)
	case "object":
		return s.object(schema, depth)
	}
	return s.anything(depth)
}

// constant returns a value of an enumeration, or its neighbour.
func (s *source) constant(v any) string {
	text, _ := json.Marshal(v)
	n, isNumber := v.(json.Number)
	mistake := s.mistake()
	switch {
	case isNumber && !mistake:
		return s.spell(n.String(), true)
	case !mistake:
		return s.quote(v.(string))
	case isNumber:
		return pick(s, n.String()+"1", n.String()+".5", `"`+n.String()+`"`, "-"+strings.TrimPrefix(n.String(), "-"))
	}
	return s.quote(change(s, v.(string), string(text)))
}

// anything returns any value.
func (s *source) anything(depth int) string {
	kinds := 5
	if depth < 6 {
		kinds = 7
	}
	switch s.IntN(kinds) {
	case 0:
		return "null"
	case 1:
		return pick(s, "true", "false")
	case 2:
		return pick(s, "0", "-0", "1", "-1", "1.5", "1e2", "1e-2", "0.1e1", "123456789012345678901234567890", "-1e300", "4e-400")
	case 3, 4:
		return s.quote(s.text(nil))
	case 5:
		return s.list(s.IntN(3), func(int) string { return s.anything(depth + 1) })
	}
	var members []string
	for range s.IntN(3) {
		members = append(members, s.quote(s.text(nil))+":"+s.anything(depth+1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// number returns a number at or between the bounds, or just beyond them.
func (s *source) number(schema map[string]any, integer bool) string {
	least, most := "-1e20", "1e20"
	if integer && s.IntN(200) > 0 {
		least, most = "-9223372036854775808", "9223372036854775807" // which schemas do not say
	}
	above, below := schema["exclusiveMinimum"], schema["exclusiveMaximum"]
	low, high := bound(cmp.Or(schema["minimum"], above), least), bound(cmp.Or(schema["maximum"], below), most)
	v := new(big.Rat)
	switch s.IntN(6) {
	case 0:
		v.Set(low)
	case 1:
		v.Set(high)
	case 2:
		v.SetInt64(int64(s.IntN(20) - 3))
	default:
		v.Sub(high, low)
		v.Mul(v, big.NewRat(s.Int64N(1001), 1000))
		v.Add(v, low)
		if integer {
			v.SetInt(new(big.Int).Div(v.Num(), v.Denom()))
		}
	}
	if v.Cmp(low) < 0 || v.Cmp(high) > 0 {
		v.Set(high)
	}
	if step := schema["multipleOf"]; step != nil && !s.mistake() {
		v = multiple(v, low, bound(step, ""))
	}
	if between := new(big.Rat).Add(low, high); !s.mistake() && (above != nil && v.Cmp(low) <= 0 || below != nil && v.Cmp(high) >= 0) {
		v = multiple(v.Mul(between, big.NewRat(1, 2)), low, bound(schema["multipleOf"], "0.25"))
	}
	if s.mistake() {
		switch s.IntN(8) {
		case 0:
			v.Sub(low, big.NewRat(1, 1))
		case 1:
			v.Add(high, big.NewRat(1, 1))
		case 2:
			v.Add(low, big.NewRat(1, 2))
		case 3:
			v.Mul(high, big.NewRat(1000001, 1000000))
		case 4:
			return pick(s, "1e400", "-1e400", "1e-400", "-1e-400", "1e5000", "9e99", "-9e99", "0.5", "-0.5", "100000000000000000000", "-100000000000000000000")
		case 5:
			return `"` + s.spell(text(v, integer), integer) + `"`
		case 6:
			return text(v, integer) + pick(s, ".5", "e-1", "e19", ".0000000000000000000000001")
		case 7:
			return pick(s, "true", "null", "[]", `""`, `" 1"`, `"1 "`, `"+1"`, `"01"`, "[1]")
		}
	}
	return s.spell(text(v, integer), integer)
}

// multiple returns a multiple of step near v that is not less than low.
func multiple(v, low, step *big.Rat) *big.Rat {
	n := new(big.Rat).Quo(v, step)
	m := new(big.Rat).SetInt(new(big.Int).Div(n.Num(), n.Denom()))
	if m.Mul(m, step); m.Cmp(low) < 0 {
		m.Add(m, step)
	}
	return m
}

// text returns the decimal text of a number, exact if it is an integer.
func text(v *big.Rat, integer bool) string {
	if v.IsInt() && (integer || v.Num().IsInt64()) {
		return v.Num().String()
	}
	f, _ := v.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func bound(limit any, otherwise string) *big.Rat {
	n, _ := limit.(json.Number)
	v, ok := new(big.Rat).SetString(cmp.Or(n.String(), otherwise))
	if !ok {
		panic("no number: " + n.String())
	}
	return v
}

// spell returns another way to write a number.
func (s *source) spell(number string, integer bool) string {
	if !integer || strings.ContainsAny(number, ".e") || !s.chance(6) {
		return number
	}
	switch s.IntN(4) {
	case 0:
		return number + ".0"
	case 1:
		return number + "e0"
	case 2:
		return number + "00E-2"
	}
	if n := strings.TrimSuffix(number, "0"); n != number && n != "" {
		return n + "e+1"
	}
	return number + ".000e00"
}

// texts are of all formats, and odd otherwise.
var texts = []string{
	"", "a", "abc", "ü", "日本", "😀", "e\u0301", " ", "\x00", "\u2028", `"`, `\`, "/", "null", "true", "1", "-1", "1.0", "null", "type", "kind",
	"2024-02-29", "2023-02-29", "12:00:00Z", "23:59:60Z", "12:00:60Z", "12:00:00.5+01:00", "2024-02-29T12:00:00Z", "2024-02-30T12:00:00Z",
	"2024-02-29t12:00:00.123456789-08:00", "1990-12-31T23:59:60Z", "P1Y2M3D", "PT1H", "P2W", "P", "a@b.c", "a..b@c.d", "\"a b\"@c.d", "a@[127.0.0.1]",
	"a.example", "-a", "xn--a", "1.2.3.4", "256.1.1.1", "01.2.3.4", "::1", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "::1%eth0", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
	"https://a.b/c?d#e", "urn:x:y", "/a", "../b?c", "http://[::1]/", "%", "http://a b", "1h30m", "1.5h", "-2us", "2µs", "0", "1h 2m", "h", "9999999h",
	"YQ==", "YWI=", "YWJj", "YQ", "YQ=", "Y===", "YR==", "YWJj\n", "#0080ff", "#0080FF", "a1", "z999", "a1000", "7x", "7x ",
}

// text returns a string for a schema, which may be nil.
func (s *source) text(schema map[string]any) string {
	pattern, _ := schema["pattern"].(string)
	format, _ := schema["format"].(string)
	var v string
	switch {
	case pattern != "":
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			panic(err)
		}
		v = s.matching(re)
	case format != "":
		v = pick(s, samples[format]...)
	case schema["contentEncoding"] != nil:
		most, _ := bound(schema["maxLength"], "16").Float64()
		v = base64.StdEncoding.EncodeToString(make([]byte, s.IntN(int(most)/4*3+1)))
	case schema["minLength"] != nil || schema["maxLength"] != nil:
		least, _ := bound(schema["minLength"], "0").Float64()
		most, _ := bound(schema["maxLength"], "9").Float64()
		n := int(least) + s.IntN(int(most-least)+1)
		if s.mistake() {
			n = pick(s, max(0, int(least)-1), int(most)+1)
		}
		for range n {
			v += pick(s, "a", "ü", "日", "😀", "\u0301", "\n")
		}
	default:
		v = pick(s, texts...)
	}
	if s.mistake() {
		v = pick(s, v, change(s, v, "x"), pick(s, texts...), v+"\n", " "+v, strings.ToUpper(v))
	}
	return v
}

// samples are texts of each format.
var samples = map[string][]string{
	"date": {"2024-02-29", "0001-01-01"}, "time": {"00:00:00Z", "23:59:59.5z", "12:00:00+23:59", "23:59:60Z"},
	"date-time": {"2024-02-29T12:00:00Z", "2024-02-29t12:00:00.5-08:00", "1990-12-31T23:59:60Z"},
	"duration":  {"P1Y2M3D", "PT1H", "P1DT2M3S", "P2W"}, "email": {"a@b.c", "a.b+c@d-e.example", "\"a b\"@c.d"},
	"hostname": {"a", "a.b", "xn--a", "1.2.3"}, "ipv4": {"0.0.0.0", "255.255.255.255"}, "ipv6": {"::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"},
	"uuid": {"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"}, "uri": {"https://a.b/c?d#e", "mailto:a@b", "urn:x:y"},
	"uri-reference": {"", "/a", "../b?c", "#d", "https://a"},
}

// matching returns a string that has a match of a regular expression.
func (s *source) matching(re *syntax.Regexp) string {
	var b strings.Builder
	times := func(low, high int) {
		if high < 0 {
			high = low + 3
		}
		for range low + s.IntN(high-low+1) {
			b.WriteString(s.matching(re.Sub[0]))
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		i := s.IntN(len(re.Rune)/2) * 2
		return string(re.Rune[i] + s.Int32N(re.Rune[i+1]-re.Rune[i]+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return pick(s, "a", "ü", "😀")
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			b.WriteString(s.matching(sub))
		}
	case syntax.OpAlternate:
		return s.matching(pick(s, re.Sub...))
	case syntax.OpStar:
		times(0, -1)
	case syntax.OpPlus:
		times(1, -1)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		times(re.Min, re.Max)
	}
	return b.String()
}

// change returns a string with one character more, less, or replaced by one of another string.
func change(s *source, v, other string) string {
	runes, put := []rune(v), []rune(other)
	i := s.IntN(len(runes) + 1)
	if i == len(runes) || s.chance(3) {
		return string(slices.Insert(runes, i, pick(s, put...)))
	}
	if s.chance(2) {
		runes[i] = pick(s, put...)
		return string(runes)
	}
	return string(slices.Delete(runes, i, i+1))
}

// quote writes a string in one of several ways.
func (s *source) quote(v string) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	if v != "" && s.chance(20) && v[0] < 0x80 {
		return fmt.Sprintf(`"\u%04x`, v[0]) + string(text[1+len(escaped(v[:1])):])
	}
	return string(text)
}

// escaped is how the first character of a JSON string is written there.
func escaped(c string) string {
	text, _ := json.Marshal(c)
	return string(text[1 : len(text)-1])
}

func (s *source) list(n int, item func(int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	space := pick(s, "", "", "", " ")
	return "[" + space + strings.Join(items, ","+space) + "]"
}

func (s *source) array(schema map[string]any, depth int) string {
	least, _ := bound(schema["minItems"], "0").Float64()
	most, _ := bound(schema["maxItems"], "3").Float64()
	n := int(least) + s.IntN(int(most-least)+1)
	if depth > 5 {
		n = int(least)
	}
	if s.mistake() {
		n = pick(s, max(0, int(least)-1), int(most)+1)
	}
	items := schema["items"].(map[string]any)
	if schema["uniqueItems"] == true && !s.mistake() {
		return s.distinct(n, items, depth)
	}
	return s.list(n, func(int) string { return s.value(items, depth+1) })
}

// distinct returns a list of items that differ, as far as there are enough of them.
func (s *source) distinct(n int, items map[string]any, depth int) string {
	seen := make(map[string]bool)
	return s.list(n, func(int) string {
		for try := 0; ; try++ {
			v := s.value(items, depth+1)
			same := v
			if n, ok := new(big.Rat).SetString(v); ok {
				same = n.String()
			}
			if !seen[same] || try == 20 {
				seen[same] = true
				return v
			}
		}
	})
}

func (s *source) object(schema map[string]any, depth int) string {
	properties, _ := schema["properties"].(map[string]any)
	required := make(map[string]bool)
	if names, ok := schema["required"].([]any); ok {
		for _, name := range names {
			required[name.(string)] = true
		}
	}
	var members []string
	add := func(name string, schema map[string]any) {
		members = append(members, s.quote(name)+":"+s.value(schema, depth+1))
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) { // sorted, so that a seed says it all
		if required[name] && s.mistake() || !required[name] && (depth > 5 || s.chance(2)) {
			continue
		}
		add(name, properties[name].(map[string]any))
		if s.mistake() && s.chance(4) {
			add(name, properties[name].(map[string]any)) // twice
		}
	}
	switch more := schema["additionalProperties"].(type) {
	case map[string]any:
		least, _ := bound(schema["minProperties"], "0").Float64()
		most, _ := bound(schema["maxProperties"], "3").Float64()
		n := int(least) + s.IntN(int(most-least)+1)
		if s.mistake() {
			n = pick(s, max(0, int(least)-1), int(most)+1)
		}
		used := make(map[string]bool)
		for range 4 * n {
			if len(used) == n {
				break
			}
			name := s.name(schema)
			if !used[name] || s.mistake() && s.chance(4) {
				used[name] = true
				add(name, more)
			}
		}
	case nil:
		if s.chance(2) {
			members = append(members, s.quote(s.text(nil))+":"+s.anything(depth+1))
		}
	default:
		if s.mistake() {
			name := "extra"
			if len(properties) > 0 {
				name = change(s, pick(s, slices.Sorted(maps.Keys(properties))...), "zA_")
			}
			members = append(members, s.quote(name)+":"+s.anything(depth+1))
		}
	}
	s.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	space := pick(s, "", "", "", " ", "\n\t")
	return "{" + space + strings.Join(members, space+","+space) + space + "}"
}

// name returns the name of a member of a map.
func (s *source) name(schema map[string]any) string {
	names, _ := schema["propertyNames"].(map[string]any)
	if enum, ok := names["enum"].([]any); ok && !s.mistake() {
		return pick(s, enum...).(string)
	}
	if pattern, _ := names["pattern"].(string); strings.Contains(pattern, "[1-9]") && !s.mistake() {
		return strconv.Itoa(s.IntN(300))
	}
	return s.text(names)
}
