package args_test

import (
	"encoding"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// randomNumber returns the text of a number, often one near to a bound.
func randomNumber(r *rand.Rand) string {
	bounds := []string{"0", "1", "10", "127", "128", "255", "256", "9007199254740993", "9223372036854775807", "9223372036854775808",
		"18446744073709551615", "18446744073709551616", "340282346638528859811704183484516925440", "340282350000000000000000000000000000000", "100000000000000000000000000000"}
	s := bounds[r.IntN(len(bounds))]
	if r.IntN(3) == 0 {
		s = strconv.FormatUint(r.Uint64()>>r.IntN(64), 10)
	}
	if r.IntN(2) == 0 && len(s) > 1 { // a point somewhere, made good by an exponent
		at := 1 + r.IntN(len(s)-1)
		s = s[:at] + "." + s[at:] + "e" + strconv.Itoa(len(s)-at+r.IntN(3)-1)
	} else if r.IntN(3) == 0 {
		s += []string{".0", ".5", "e0", "E+2", "e-2", ".50e1", ".000"}[r.IntN(7)]
	}
	if r.IntN(2) == 0 {
		s = "-" + s
	}
	return s
}

// TestNumbers compares what is read with exact arithmetic.
func TestNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("it tries many numbers, which -short does without")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		text := randomNumber(r)
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%s is no number", text)
		}
		within := func(min, max string) bool {
			lo, _ := new(big.Rat).SetString(min)
			hi, _ := new(big.Rat).SetString(max)
			return exact.IsInt() && exact.Cmp(lo) >= 0 && exact.Cmp(hi) <= 0
		}
		check := func(what string, ok, want bool, got string) {
			t.Helper()
			if ok != want || ok && got != exact.Num().String() {
				t.Errorf("%s as %s: got %s, %t; want %s, %t", text, what, got, ok, exact.RatString(), want)
			}
		}
		read := func(f func(d *args.Decoder) string) (string, bool) {
			d := args.New(wire.Raw(text), false)
			got := f(d)
			return got, d.Finish() == nil
		}
		got, ok := read(func(d *args.Decoder) string { return strconv.FormatInt(d.Int(math.MinInt64, math.MaxInt64), 10) })
		check("int64", ok, within("-9223372036854775808", "9223372036854775807"), got)
		got, ok = read(func(d *args.Decoder) string { return strconv.FormatInt(d.Int(-128, 127), 10) })
		check("int8", ok, within("-128", "127"), got)
		got, ok = read(func(d *args.Decoder) string { return strconv.FormatUint(d.Uint(0, math.MaxUint64), 10) })
		check("uint64", ok, within("0", "18446744073709551615"), got)
		got, ok = read(func(d *args.Decoder) string { return strconv.FormatUint(d.Uint(3, 200), 10) })
		check("3 to 200", ok, within("3", "200"), got)
		got, ok = read(func(d *args.Decoder) string {
			if n := d.BigInt(); n != nil {
				return n.String()
			}
			return ""
		})
		check("big", ok, exact.IsInt(), got)

		want, err := strconv.ParseFloat(text, 64)
		d := args.New(wire.Raw(text), false)
		if f := d.Float(-math.MaxFloat64, math.MaxFloat64); f != want || (d.Finish() == nil) != (err == nil) {
			t.Errorf("%s: got %v, want %v", text, f, want)
		}
		want32, err := strconv.ParseFloat(text, 32)
		d = args.New(wire.Raw(text), false)
		if f := d.Float32(-args.MaxFloat32, args.MaxFloat32); err == nil && f != float32(want32) || (d.Finish() == nil) != (err == nil) {
			t.Errorf("%s: got %v, want %v", text, f, float32(want32))
		}
	}
}

func TestNumberLimits(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("9", 4096):          "",
		strings.Repeat("9", 3000) + "e400": "",
		strings.Repeat("9", 4097):          "arguments: want an integer of at most 4096 digits, got " + strings.Repeat("9", 42) + "…",
		"1e400":                            "",
		"1.5e400":                          "",
		"1e401":                            "arguments: want an integer that is written out, or has an exponent of at most 400, got 1e401",
		"1.0e401":                          "arguments: want an integer that is written out, or has an exponent of at most 400, got 1.0e401",
		"0.01e-9223372036854775808":        "arguments: want an integer, got 0.01e-9223372036854775808",
		"10e-1":                            "",
		"100e-3":                           "arguments: want an integer, got 100e-3",
		"1e99999999999999999999":           "arguments: want an integer that is written out, or has an exponent of at most 400, got 1e99999999999999999999",
		"1e-99999999999999999999":          "arguments: want an integer, got 1e-99999999999999999999",
		"0.0e99999999999999999999":         "",
		"0." + strings.Repeat("0", 5000):   "",
	} {
		d := args.New(wire.Raw(text), false)
		d.BigInt()
		got := ""
		if err := d.Finish(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%.40s: got %s, want %s", text, got, want)
		}
	}
}

// TestBigTextsOfNoNumbers leaves what is no number to the type.
func TestBigTextsOfNoNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"": `arguments: not accepted: math/big: cannot unmarshal "" into a *big.Rat`, "e": `arguments: not accepted: math/big: cannot unmarshal "e" into a *big.Rat`,
		"1ex":  `arguments: not accepted: math/big: cannot unmarshal "1ex" into a *big.Rat`,
		"e999": "arguments: want a number of at most 4096 digits and an exponent within ±400, got \"e999\"",
	} {
		d := args.New(wire.Raw(strconv.Quote(text)), false)
		d.Text(new(big.Rat))
		if got := message(d); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// Numbers of package math/big that are few bytes and much work are refused, in all their spellings.
func TestBigTexts(t *testing.T) {
	const want = "a number of at most 4096 digits and an exponent within ±400"
	for text, good := range map[string]bool{
		"1e400": true, "-1.5E-400": true, "0x1e5": true, "0x1p-400": true, "1e4_0_0": true,
		"1e401": false, "1e-401": false, "1E999999": false, "1p999999": false, "0x1p999999": false, "-0X1P999999": false,
		strings.Repeat("9", 4096): true, "7": true, "-7e-400": true, "0x1e999": true, "-0x1E999": true,
		"1e-4_0_1": false, "0x1p401": false, "1p-401": false, "1P401": false,
		"1e9_9_9_9_9": false, "1e99999999999999999999": false, strings.Repeat("9", 4097): false,
	} {
		for _, v := range []encoding.TextUnmarshaler{new(big.Rat), new(big.Float)} {
			d := args.New(wire.Raw(strconv.Quote(text)), false)
			d.Text(v)
			if err := d.Finish(); (err == nil) != good || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%.40s into a %T: %v", text, v, err)
			}
		}
	}
}
