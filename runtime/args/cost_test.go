package args_test

import (
	"encoding"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var size = limits.Flags()

// TestCost is the table of what hostile arguments cost generated code.
func TestCost(t *testing.T) {
	t.Run("objects", func(t *testing.T) { limits.Check(t, *size, objectCosts()) })
	t.Run("values", func(t *testing.T) { limits.Check(t, *size, valueCosts()) })
	t.Run("uris", func(t *testing.T) { limits.Check(t, *size, uriCosts()) })
}

func objectCosts() []limits.Case {
	many := args.Type{}
	for i := range 60 {
		many.Members = append(many.Members, args.Member{Name: fmt.Sprintf("%s%03d", strings.Repeat("y", 55), i)})
	}
	members := func(in string) string {
		return reading(in, func(d *args.Decoder) {
			for o := d.Object(&many); o.Next(); {
				_ = d.String()
			}
		})
	}
	numbers := func(read func([]int64, *args.Decoder)) func(in string) string {
		return func(in string) string {
			return reading(in, func(d *args.Decoder) { read(args.Slice(d, getInt), d) })
		}
	}
	unique := func(list []int64, d *args.Decoder) { args.Unique(d, list) }
	return []limits.Case{
		{Name: "args: a list of items that differ", Input: func(n int) string {
			return limits.List(n, "[", "]", func(i int) string { return fmt.Sprint(i) })
		}, Run: numbers(unique)},
		{Name: "args: a list of two equal items at its end", Input: func(n int) string {
			return limits.List(n, "[7,", ",7]", func(i int) string { return fmt.Sprint(i + 8) })
		}, Run: numbers(unique)},
		{Name: "args: lists of equal items", Input: func(n int) string {
			return limits.List(n, "[", "]", func(int) string { return `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,16]` })
		}, Run: func(in string) string {
			return reading(in, func(d *args.Decoder) {
				args.Slice(d, func(_ *struct{}, d *args.Decoder) { unique(args.Slice(d, getInt), d) })
			})
		}},
		{Name: "args: names that are too long and match nothing", Input: func(n int) string {
			return limits.List(n, "{", "}", func(i int) string { return fmt.Sprintf(`"%d":0`, i) })
		}, Run: func(in string) string {
			return reading(in, func(d *args.Decoder) {
				args.Map(d, func(d *args.Decoder, name string) string {
					d.NameFormat(name, "an email address", args.IsEmail)
					d.NameLength(name, 100, 200)
					return name
				}, getInt)
			})
		}},
		{Name: "args: unknown arguments with long names", Input: func(n int) string {
			return limits.List(n, "{", "}", func(i int) string { return fmt.Sprintf(`"%s%08d":0`, strings.Repeat("z", 50), i) })
		}, Run: members},
		{Name: "args: unknown arguments with short names", Input: func(n int) string {
			return limits.List(n, "{", "}", func(i int) string { return fmt.Sprintf(`"%d":0`, i) })
		}, Run: members},
		{Name: "args: one argument given again and again", Input: func(n int) string {
			return limits.List(n, "{", "}", func(int) string { return `"` + many.Members[59].Name + `":""` })
		}, Run: members},
		{Name: "args: names of many escapes", Input: func(n int) string {
			return limits.List(n, "{", "}", func(i int) string { return fmt.Sprintf(`"%s%08d":0`, strings.Repeat(`\u0079`, 50), i) })
		}, Run: members},
		{Name: "args: problems at the end of a long text", Input: func(n int) string {
			return `["` + strings.Repeat(`\"`, n/4) + `",` + limits.List(n/2, "[", "]", func(int) string { return `{}` }) + strings.Repeat(",1", 100) + "]"
		}, Run: func(in string) string {
			return reading(in, func(d *args.Decoder) { args.Slice(d, getStringOrSkip) })
		}},
		{Name: "args: unions whose tags come last, deep in each other", Input: func(n int) string {
			const depth = wire.MaxDepth - 4
			pad := strings.Repeat(" ", max(n/depth/2-20, 0))
			return strings.Repeat(`{"next":`, depth) + `{"kind":"leaf"}` + strings.Repeat(`,"pad":"`+pad+pad+`","kind":"node"}`, depth)
		}, Run: func(in string) string {
			return reading(in, func(d *args.Decoder) { getUnion(new(union), d) })
		}},
		{Name: "args: unions without tags", Input: func(n int) string {
			return limits.List(n, "[", "]", func(int) string { return `{"kind":"leav"}` })
		}, Run: func(in string) string {
			return reading(in, func(d *args.Decoder) { args.Slice(d, getUnion) })
		}},
		{Name: "args: nested as deep as may be", Input: func(n int) string {
			const depth = wire.MaxDepth - 2
			one := strings.Repeat(`{"a":[`, depth/2) + strings.Repeat(`]}`, depth/2)
			return limits.List(n, "[", "]", func(int) string { return one })
		}, Run: func(in string) string {
			return reading(in, func(d *args.Decoder) { d.Any() })
		}},
		{Name: "args: maps", Input: func(n int) string {
			return limits.List(n, "{", "}", func(i int) string { return fmt.Sprintf(`"%d":1`, i/2) })
		}, Run: func(in string) string {
			return reading(in, func(d *args.Decoder) {
				args.Map(d, func(d *args.Decoder, name string) int64 { return d.NameInt(name, 0, math.MaxInt64) }, getInt)
			})
		}},
		{Name: "args: maps with names that are wrong", Input: func(n int) string {
			return limits.List(n, "{", "}", func(i int) string { return fmt.Sprintf(`"x%d":1`, i) })
		}, Run: func(in string) string {
			return reading(in, func(d *args.Decoder) {
				args.Map(d, func(d *args.Decoder, name string) string { return d.NameIn(name, manyWords...) }, getInt)
			})
		}},
		{Name: "args: a prompt's arguments", Than: limits.Text, Input: func(n int) string { return strings.Repeat("\x01", n) }, Run: func(in string) string {
			d := args.OfStrings(map[string]string{"a": in})
			for o := d.Object(&many); o.Next(); {
				_ = d.String()
			}
			return message(d)
		}},
	}
}

func valueCosts() []limits.Case {
	list := func(item string, get func(*args.Decoder)) limits.Case {
		return limits.Case{
			Input: func(n int) string { return limits.List(n, "[", "]", func(int) string { return item }) },
			Run: func(in string) string {
				return reading(in, func(d *args.Decoder) {
					args.Slice(d, func(_ *struct{}, d *args.Decoder) { get(d) })
				})
			},
		}
	}
	one := func(open, item, end string, get func(*args.Decoder)) limits.Case {
		return limits.Case{
			Input: func(n int) string { return open + strings.Repeat(item, n/len(item)) + end },
			Run:   func(in string) string { return reading(in, get) },
		}
	}
	integer := func(d *args.Decoder) { d.Int(math.MinInt64, math.MaxInt64) }
	float := func(d *args.Decoder) { d.Float(math.Inf(-1), math.Inf(1)) }
	bigInt := func(d *args.Decoder) { d.BigBounds(d.BigInt(), "0", "1000") }
	text := func(v encoding.TextUnmarshaler) func(d *args.Decoder) {
		return func(d *args.Decoder) { d.Text(v) }
	}
	var cases []limits.Case
	for _, c := range []struct {
		name string
		limits.Case
	}{
		{"integers with huge exponents", list(`1e4000`, integer)},
		{"integers with huge negative exponents", list(`1000e-999999`, integer)},
		{"an integer of many digits", one("", "9", "", integer)},
		{"an integer of many zeros", one("1.", "0", "", integer)},
		{"numbers with huge exponents", list(`1e999999999`, float)},
		{"numbers that are hard to round", list(`2.2250738585072011e-308`, float)},
		{"a number of many digits", one("1.", "9", "", float)},
		{"a number of many digits that may be a multiple", one("1.", "9", "", func(d *args.Decoder) { float(d); d.MultipleOf("0.001") })},
		{"multiples with huge exponents", list(`1e-999999999`, func(d *args.Decoder) { float(d); d.MultipleOf("7") })},
		{"big integers that may be multiples", list(strings.Repeat("9", 4096), func(d *args.Decoder) { d.BigInt(); d.MultipleOf("1000000007") })},
		{"big integers with huge exponents", list(`1e4000`, bigInt)},
		{"big integers of many digits", list(strings.Repeat("9", 4096), bigInt)},
		{"a big integer of very many digits", one("", "9", "", bigInt)},
		{"big rationals with huge exponents", list(`"1e999999"`, text(new(big.Rat)))},
		{"big rationals with huge negative exponents", list(`"1e-999999"`, text(new(big.Rat)))},
		{"a big rational of many digits", one(`"`, "9", `"`, text(new(big.Rat)))},
		{"big floats with huge exponents", list(`"1e999999999"`, text(new(big.Float)))},
		{"a big float of many digits", one(`"`, "9", `"`, text(new(big.Float)))},
		{"any numbers", list(`1e999999`, func(d *args.Decoder) { d.Any() })},
		{"any integers of many digits", list(strings.Repeat("9", 4096), func(d *args.Decoder) { d.Any() })},
		{"numbers in strings", list(`"1e4000"`, func(d *args.Decoder) { d.Quoted(); integer(d) })},
		{"strings that are none of many", list(`"b"`, func(d *args.Decoder) { args.In(d, d.String(), manyWords...) })},
		{"integers that are none of many", list(`7`, func(d *args.Decoder) { args.In(d, d.Int(0, 9), 1, 2, 3, 4, 5, 6, 8, 9) })},
		{"strings of another length", list(`""`, func(d *args.Decoder) { d.Length(d.String(), 1, 2) })},
		{"a string of many escapes", one(`"`, `\u00e9`, `"`, func(d *args.Decoder) { _ = d.String() })},
		{"a string of halves of pairs", one(`"`, `\ud800`, `"`, func(d *args.Decoder) { d.Length(d.String(), 0, 1) })},
		{"bytes", one(`"`, `AAAA`, `"`, func(d *args.Decoder) { d.Bytes() })},
		{"bytes with line breaks", one(`"`, `\n`, `"`, func(d *args.Decoder) { d.Bytes() })},
		{"times", list(`"2006-01-02T15:04:05.999999999+23:59"`, func(d *args.Decoder) { d.Time() })},
		{"a time of many digits", one(`"2006-01-02T15:04:05.`, `9`, `Z"`, func(d *args.Decoder) { d.Time() })},
		{"durations", one(`"`, `1h1m`, `"`, func(d *args.Decoder) { d.Duration() })},
		{"URLs", list(`"a://[::1%25a]:1/%41?#"`, func(d *args.Decoder) { d.URL() })},
		{"a long URL", one(`"a://b/`, `%41`, `"`, func(d *args.Decoder) { d.URL() })},
		{"a URL with a long host", one(`"a://[`, `:`, `]"`, func(d *args.Decoder) { d.URL() })},
		{"texts with long reasons", list(`"x"`, text(refuser{}))},
		{"raw values", list(`[[{"a":1}]]`, func(d *args.Decoder) { d.Raw() })},
	} {
		c.Case.Name = "args: " + c.name
		cases = append(cases, c.Case)
	}
	formats := []func(string) bool{args.IsDate, args.IsTime, args.IsDateTime, args.IsDuration, args.IsEmail, args.IsHostname,
		args.IsIPv4, args.IsIPv6, args.IsUUID, args.IsURI, args.IsURIReference}
	for _, item := range []string{"1", "1.", "a.", ":", "1Y", "a@", "/", "%41", "é"} {
		cases = append(cases, limits.Case{
			Name: "args: formats, on " + item, Than: limits.Text,
			Input: func(n int) string { return "P" + strings.Repeat(item, n/len(item)) },
			Run: func(in string) string {
				for _, is := range formats {
					is(in)
				}
				return ""
			},
		})
	}
	return cases
}

func uriCosts() []limits.Case {
	parts := []string{"a:", "x", "/", "y", "/", "z"}
	var cases []limits.Case
	for _, item := range []string{"a", "%41", "a/", ",", "%4"} {
		cases = append(cases, limits.Case{
			Name: "args: URIs of generated resources, on " + item, Than: limits.Text,
			Input: func(n int) string { return "a:" + strings.Repeat(item, n/len(item)) },
			Run:   func(in string) string { args.MatchURI(in, parts...); return "" },
		})
	}
	return cases
}

func reading(in string, read func(*args.Decoder)) string {
	d := args.New(wire.Raw(in), true)
	read(d)
	return message(d)
}

func message(d *args.Decoder) string {
	if err := d.Finish(); err != nil {
		return err.Error()
	}
	return ""
}

func getStringOrSkip(v *string, d *args.Decoder) { *v = d.String() }

// A union is a node with another one, or a leaf.
type union struct{ next *union }

var (
	typeNode = args.Type{Members: []args.Member{{Name: "kind"}, {Name: "pad"}, {Name: "next"}}}
	typeLeaf = args.Type{Members: []args.Member{{Name: "kind"}}}
)

func getUnion(v *union, d *args.Decoder) {
	typ := &typeNode
	switch d.Tag("kind", "node", "leaf") {
	case "":
		return
	case "leaf":
		typ = &typeLeaf
	}
	for o := d.Object(typ); o.Next(); {
		if o.Name == "next" {
			v.next = new(union)
			getUnion(v.next, d)
		} else {
			d.Skip()
		}
	}
}

var manyWords = strings.Split(strings.Repeat("a rather long word for an enumeration,", 30)+"end", ",")

// A refuser has long reasons.
type refuser struct{}

func (refuser) UnmarshalText([]byte) error { return fmt.Errorf("%s", strings.Repeat("no ", 100)) }
