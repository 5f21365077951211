package args_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMultipleOf(t *testing.T) {
	for _, test := range []struct {
		number, step string
		want         bool
	}{
		{"5", "0", false}, {"0", "0", false}, {"6", "-3", false}, // these are no steps
		{"0", "7", true}, {"-0", "7", true}, {"0.00", "0.3", true}, {"0e99999999999", "3", true}, {"14", "7", true}, {"15", "7", false},
		{"-14", "7", true}, {"14.0", "7", true}, {"1.4e1", "7", true}, {"140e-1", "7", true}, {"0.07", "0.01", true}, {"0.075", "0.01", false},
		{"1.1", "0.1", true}, {"1e2", "2.5e1", true}, {"100", "40", false}, {"1e308", "1e300", true}, {"1e299", "1e300", false},
		{"1", "3", false}, {"10", "3", false}, {"3e20", "3", true}, {"999999999999999999000000000000000001", "1000000007", false},
		{"1000000007000000000000", "1000000007", true}, {"1e-99999999999", "1", false}, {"1e99999999999", "1", true}, {"1e99999999999", "3", false},
		{"123456789012345678", "123456789012345678", true}, {"246913578024691356e3", "123456789012345678", true}, {"1e-400", "1e-400", true},
		{"0", "1e3", true}, {"100.00", "40", false},
	} {
		if got := args.IsMultipleOf(test.number, test.step); got != test.want {
			t.Errorf("%s is a multiple of %s: %v", test.number, test.step, got)
		}
	}
	for step, want := range map[string]bool{
		"1": true, "0.01": true, "2.50": true, "1e-3": true, "123456789012345678": true, "0.123456789012345678": true, "100000000000000000000": true,
		"0": false, "-1": false, "0.0": false, "1234567890123456789": false, "x": false, "": false, "1e99999999999": false, " 1": false,
		"1e400": true, "1e401": false, "1e-400": true, "1e-401": false, "0.1e-399": true, "0.1e-400": false,
	} {
		if got := args.IsStep(step); got != want {
			t.Errorf("%q is a step: %v", step, got)
		}
	}
}

// FuzzMultipleOf compares with exact fractions.
func FuzzMultipleOf(f *testing.F) {
	for _, seed := range [][2]string{{"0.07", "0.01"}, {"1e20", "3"}, {"-15.50", "0.5"}, {"123456789012345678901", "7"}, {"1.4e1", "7e-1"}} {
		f.Add(seed[0], seed[1])
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		step := strconv.FormatFloat(float64(r.IntN(1000)+1)/math.Pow10(r.IntN(4)), 'f', -1, 64)
		s, _ := new(big.Rat).SetString(step)
		f.Add(s.Mul(s, big.NewRat(r.Int64N(1e12), 1)).FloatString(5), step)
	}
	f.Fuzz(func(t *testing.T, number, step string) {
		raw := wire.Raw(number)
		if len(number) > 200 || raw.Kind() != wire.KindNumber || raw.Check() != nil || strings.TrimSpace(number) != number || !args.IsStep(step) || huge(number) || huge(step) {
			return
		}
		n, ok := new(big.Rat).SetString(number)
		s, ok2 := new(big.Rat).SetString(step)
		if !ok || !ok2 {
			t.Fatalf("%q %q: no numbers", number, step)
		}
		if got, want := args.IsMultipleOf(number, step), n.Quo(n, s).IsInt(); got != want {
			t.Errorf("%s is a multiple of %s: %v, want %v", number, step, got, want)
		}
	})
}

// huge reports whether a number has an exponent that package big would take long to write out.
func huge(number string) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	return len(exponent) > 5
}

// TestChecks has what each of these checks says, in arguments and of results.
func TestChecks(t *testing.T) {
	list := func(d *args.Decoder) any {
		l := args.Slice(d, func(v *string, d *args.Decoder) { *v = d.String() })
		args.Unique(d, l)
		return l
	}
	names := func(d *args.Decoder) any {
		return args.Map(d, func(d *args.Decoder, name string) string {
			d.NameLength(name, 2, 3)
			d.NameFormat(name, "an email address", args.IsEmail)
			return name
		}, getInt)
	}
	ownNames := func(d *args.Decoder) any {
		return args.Map(d, func(d *args.Decoder, name string) string {
			d.NameFormat(name, "an email address", args.IsEmail)
			d.NameLength(name, 2, 3)
			return name
		}, getInt)
	}
	many := `["` + strings.Join(strings.Split(strings.Repeat("x", 20), ""), `","`) + `"]`
	for _, test := range []struct {
		text string
		read func(*args.Decoder) any
		want string
	}{
		{`["a","b"]`, list, ""},
		{`["a","b","a","b"]`, list, "arguments: want distinct items, got the same at [0] and [2]"},
		{`["",""]`, list, "arguments: want distinct items, got the same at [0] and [1]"},
		{`["",1]`, list, "[1]: want a string, got 1"},                                   // which reads as "", too
		{`[1,"a",2,"a"]`, list, "[0]: want a string, got 1\n[2]: want a string, got 2"}, // the first two that are equal are none
		{many, list, "arguments: want distinct items, got the same at [0] and [1]"},
		{`["a","a",1]`, list, "[2]: want a string, got 1\narguments: want distinct items, got the same at [0] and [1]"},
		{`["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q"]`, list, ""}, // so many that they are not compared one by one
		{`["a","a"]`, func(d *args.Decoder) any {
			l := list(d)
			d.Check(false, "3 items") // which would be a second problem of one value
			return l
		}, "arguments: want distinct items, got the same at [0] and [1]"},
		{`7`, list, "arguments: want an array, got 7"},
		{`["a","a"]`, func(d *args.Decoder) any {
			l := args.Slice(d, func(v *string, d *args.Decoder) { *v = d.String() })
			d.Check(false, "3 items")
			args.Unique(d, l)
			return l
		}, `arguments: want 3 items, got an array`},
		{`["a","a"`, list, "arguments: unexpected end of JSON"},
		{`{"abcd":1,"a":2,"abc":3,"a@b":4}`, names, "abcd: the name must have at most 3 characters, got 4\na: the name must have at least 2 characters, got 1\n" +
			"abc: the name must be an email address"},
		{`{"a":1}`, ownNames, "a: the name must be an email address"},
		{`0.5`, func(d *args.Decoder) any { f := d.Float(0, 1); d.Check(f < 1, "a number below 1"); return f }, ""},
		{`0.5`, func(d *args.Decoder) any { f := d.Float(0, 1); d.Check(f > 0.5, "a number above 0.5"); return f }, "arguments: want a number above 0.5, got 0.5"},
		{`2`, func(d *args.Decoder) any { f := d.Float(0, 1); d.Check(false, "x"); d.MultipleOf("3"); return f }, "arguments: want a number of at most 1, got 2"},
		{`4`, func(d *args.Decoder) any { n := d.Int(0, 9); d.MultipleOf("3"); return n }, "arguments: want a multiple of 3, got 4"},
		{`"\u0034"`, func(d *args.Decoder) any { d.Quoted(); n := d.Int(0, 9); d.MultipleOf("3"); return n }, `arguments: want a multiple of 3, got "\u0034"`},
		{`"7"`, func(d *args.Decoder) any { d.Quoted(); n := d.Int(0, 9); d.MultipleOf("7"); return n }, ""},
		{`"\u0036"`, func(d *args.Decoder) any { d.Quoted(); n := d.Int(0, 9); d.MultipleOf("3"); return n }, ""},
	} {
		if _, got := problems(test.text, test.read); got != test.want && !(strings.Contains(test.want, "unexpected") && got != "") {
			t.Errorf("%s: got %q, want %q", test.text, got, test.want)
		}
	}
	for _, test := range []struct {
		put  func(*wire.Encoder)
		want string
	}{
		{func(e *wire.Encoder) { args.WantUnique(e, []int{1, 2, 1}) }, "want distinct items, got the same at [0] and [2]"},
		{func(e *wire.Encoder) { args.WantUnique(e, []int{1, 2}) }, ""},
		{func(e *wire.Encoder) { args.WantThat(e, float32(0.1), false, "a number above 0.1") }, "want a number above 0.1, got 0.1"},
		{func(e *wire.Encoder) { args.WantThat(e, "1.5", false, "x") }, "want x, got 1.5"},
		{func(e *wire.Encoder) { args.WantThat(e, 1e21, false, "x") }, "want x, got 1e+21"},
		{func(e *wire.Encoder) { args.WantThat(e, 90*time.Second, false, "x") }, "want x, got 1m30s"},
		{func(e *wire.Encoder) { args.WantThat(e, 1.5, true, "x") }, ""},
		{func(e *wire.Encoder) { args.WantMultipleOf(e, int64(-4), "3") }, "want a multiple of 3, got -4"},
		{func(e *wire.Encoder) { args.WantMultipleOf(e, uint64(math.MaxUint64), "2") }, "want a multiple of 2, got 18446744073709551615"},
		{func(e *wire.Encoder) { args.WantMultipleOf(e, int64(10), "5") }, ""},
		{func(e *wire.Encoder) { args.WantMultipleOf(e, float32(0.3), "0.1") }, ""},
		{func(e *wire.Encoder) { args.WantMultipleOf(e, float32(0.1), "0.3") }, "want a multiple of 0.3, got 0.1"},
		{func(e *wire.Encoder) { args.WantMultipleOf(e, 0.35, "0.1") }, "want a multiple of 0.1, got 0.35"},
		{func(e *wire.Encoder) { args.WantNumberMultipleOf(e, "7", "2") }, "want a multiple of 2, got 7"},
		{func(e *wire.Encoder) { args.WantNumberMultipleOf(e, "", "2") }, ""},
		{func(e *wire.Encoder) { args.WantBigMultipleOf(e, big.NewInt(12), "4") }, ""},
		{func(e *wire.Encoder) { args.WantBigMultipleOf(e, big.NewInt(9), "2") }, "want a multiple of 2, got 9"},
	} {
		v := 0
		_, err := args.Encode(&v, func(_ *int, e *wire.Encoder) {
			test.put(e)
			e.Int(0)
		})
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "the result cannot be encoded: ")
		}
		if got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	if args.NumberAbove("1e-400", 0) || !args.NumberAbove("1e400", 1) || args.NumberBelow("1", 1) || !args.NumberBelow("-1e400", 1) {
		t.Error("numbers in texts are not compared as float64")
	}
}

// TestOneOf has members of which one is to be there.
func TestOneOf(t *testing.T) {
	typ := args.Type{Members: []args.Member{{Name: "a"}, {Name: "b"}, {Name: "c", Null: true}, {Name: "d"}}, OneOf: [][]int{{0, 1, 2}}}
	for _, test := range []struct {
		text   string
		coerce bool
		want   string
	}{
		{`{"a":1}`, false, ""},
		{`{"d":1}`, false, "arguments: want exactly one of a, b and c, got none"},
		{`{"a":1,"b":2}`, false, "arguments: want exactly one of a, b and c, got a and b"},
		{`{"a":1,"b":2,"c":null,"d":1}`, false, "arguments: want exactly one of a, b and c, got a, b and c"},
		{`{"a":1,"b":null,"d":null}`, true, ""},
		{`{"a":null,"b":null}`, true, "arguments: want exactly one of a, b and c, got none"},
		{`{"c":null}`, true, ""},
		{`{"a":1,"b":2`, false, "arguments: want a member's name, got the end of the input at offset 12"}, // and nothing of what may follow
		{`{"a":null,"a":1}`, true, "a: given twice\narguments: want exactly one of a, b and c, got none"},
	} {
		d := args.New(wire.Raw(test.text), test.coerce)
		for o := d.Object(&typ); o.Next(); {
			d.Skip()
		}
		d.Check(test.want == "", "something else") // which would be a second problem of one value
		if got := message(d); got != test.want {
			t.Errorf("%s: got %q, want %q", test.text, got, test.want)
		}
	}
	d := args.New(wire.Raw(`{"b":1}`), false)
	for o := d.Object(&args.Type{Members: []args.Member{{Name: "a"}, {Name: "b"}}, OneOf: [][]int{{0}}}); o.Next(); {
		d.Skip()
	}
	if got, want := message(d), "arguments: want exactly one of a, got none"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestChecksAllocateNothing makes sure of values that are as they must be.
func TestChecksAllocateNothing(t *testing.T) {
	items := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	d := args.New(wire.Raw(`0.75`), false)
	_ = d.Float(0, 1)
	if n := testing.AllocsPerRun(100, func() {
		d.Check(true, "x")
		d.MultipleOf("0.25")
		args.Unique(d, items)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
