package args_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type picky struct{}

func (picky) UnmarshalJSON(data []byte) error {
	if string(data) == `"ok"` {
		return nil
	}
	return errors.New("not\n\tok: " + strings.Repeat("x", 300))
}

// An attentive value takes whatever is JSON.
type attentive struct{ *testing.T }

func (a attentive) UnmarshalJSON(data []byte) error {
	if !json.Valid(data) {
		a.Errorf("UnmarshalJSON(%q)", data)
	}
	return nil
}

// TestValues reads single values: what is read, as fmt prints it, or the problem.
func TestValues(t *testing.T) {
	byInt := func(d *args.Decoder) any {
		return args.Map(d, func(d *args.Decoder, name string) int64 { return d.NameInt(name, -5, 5) }, getInt)
	}
	byUint := func(d *args.Decoder) any {
		return args.Map(d, func(d *args.Decoder, name string) uint64 { return d.NameUint(name, 5) }, getInt)
	}
	byAddr := func(d *args.Decoder) any {
		return args.Map(d, func(d *args.Decoder, name string) (a netip.Addr) { d.NameText(name, &a); return a }, getInt)
	}
	byUnit := func(d *args.Decoder) any {
		return args.Map(d, func(d *args.Decoder, name string) string { return d.NameIn(name, "a", "b") }, getInt)
	}
	quoted := func(read func(d *args.Decoder) any) func(d *args.Decoder) any {
		return func(d *args.Decoder) any { d.Quoted(); return read(d) }
	}
	boolean := func(d *args.Decoder) any { return d.Bool() }
	integer := func(d *args.Decoder) any { return d.Int(-10, 10) }
	big10 := func(d *args.Decoder) any {
		n := d.BigInt()
		d.BigBounds(n, "-10", "10")
		return n
	}
	for _, tt := range []struct {
		read func(d *args.Decoder) any
		text string
		want string
	}{
		{boolean, `true`, "true"},
		{boolean, `false`, "false"},
		{boolean, `"true"`, "want a boolean, got \"true\""},
		{boolean, `[true]`, "want a boolean, got an array"},
		{quoted(boolean), `"false"`, "false"},
		{quoted(boolean), `"yes"`, "want a boolean in a string, got \"yes\""},
		{quoted(boolean), `true`, "want a boolean in a string, got true"},
		{quoted(boolean), `{}`, "want a boolean in a string, got an object"},
		{quoted(boolean), `"true"`, "true"},
		{boolean, `0`, "want a boolean, got 0"},
		{quoted(integer), `"-7"`, "-7"},
		{quoted(integer), `[]`, "want an integer in a string, got an array"},
		{quoted(integer), `"-11"`, "want an integer of at least -10, got \"-11\""},
		{integer, `-10`, "-10"},
		{integer, `10`, "10"},
		{integer, `-0`, "0"},
		{integer, `-0.0e5`, "0"},
		{integer, `-11`, "want an integer of at least -10, got -11"},
		{integer, `11`, "want an integer of at most 10, got 11"},
		{integer, `-1e99`, "want an integer of at least -10, got -1e99"},
		{integer, `-1e401`, "want an integer of at least -10, got -1e401"},
		{integer, `1e99`, "want an integer of at most 10, got 1e99"},
		{integer, `-1e999`, "want an integer of at least -10, got -1e999"},
		{integer, `1e999`, "want an integer of at most 10, got 1e999"},
		{func(d *args.Decoder) any { return d.Int(19, 29) }, `1e99`, "want an integer of at most 29, got 1e99"},
		{func(d *args.Decoder) any { return d.Uint(19, 29) }, `1e99`, "want an integer of at most 29, got 1e99"},
		{func(d *args.Decoder) any { return d.Uint(19, 29) }, `-1e999`, "want an integer of at least 19, got -1e999"},
		{quoted(func(d *args.Decoder) any { return d.Uint(0, 29) }), `"7.0"`, `want an integer, got "7.0"`},
		{quoted(func(d *args.Decoder) any { return d.Uint(0, 29) }), `"7"`, "7"},
		{quoted(func(d *args.Decoder) any { return d.BigInt() }), `"7.0"`, `want an integer, got "7.0"`},
		{quoted(func(d *args.Decoder) any { return d.BigInt() }), `"7"`, "7"},
		// Read as a float64 first, it would lie half way between two.
		{func(d *args.Decoder) any { return d.Float32(0, 2) }, `1.00000005960464477539062500001`, "1.0000001"},
		{integer, `0.1`, "want an integer, got 0.1"},
		{integer, `-1e-1`, "want an integer, got -1e-1"},
		{func(d *args.Decoder) any { return d.Int(19, 29) }, `18`, "want an integer of at least 19, got 18"},
		{func(d *args.Decoder) any { return d.Int(19, 29) }, `30`, "want an integer of at most 29, got 30"},
		{func(d *args.Decoder) any { return d.Int(19, 29) }, `19`, "19"},
		{func(d *args.Decoder) any { return d.Int(19, 29) }, `-5`, "want an integer of at least 19, got -5"},
		{func(d *args.Decoder) any { return d.Int(-29, -19) }, `-18`, "want an integer of at most -19, got -18"},
		{func(d *args.Decoder) any { return d.Int(-29, -19) }, `-19`, "-19"},
		{func(d *args.Decoder) any { return d.Int(-29, -19) }, `-29`, "-29"},
		{func(d *args.Decoder) any { return d.Int(-29, -19) }, `5`, "want an integer of at most -19, got 5"},
		{func(d *args.Decoder) any { return d.Int(math.MinInt64, -19) }, `9223372036854775808`, "want an integer of at most -19, got 9223372036854775808"},
		{func(d *args.Decoder) any { return d.Int(math.MinInt64, 19) }, `-9223372036854775808`, "-9223372036854775808"},
		{func(d *args.Decoder) any { return d.Int(math.MinInt64, 19) }, `-9223372036854775809`,
			"want an integer of at least -9223372036854775808, got -9223372036854775809"},
		{func(d *args.Decoder) any { return d.Int(0, math.MaxInt64) }, `9223372036854775807`, "9223372036854775807"},
		{func(d *args.Decoder) any { return d.Int(0, math.MaxInt64) }, `9223372036854775808`,
			"want an integer of at most 9223372036854775807, got 9223372036854775808"},
		{func(d *args.Decoder) any { return d.Int(0, math.MaxInt64) }, `999999999999999999`, "999999999999999999"},
		{func(d *args.Decoder) any { return d.Int(0, math.MaxInt64) }, `1234567890123456789`, "1234567890123456789"},
		{func(d *args.Decoder) any { return d.Uint(19, 29) }, `18`, "want an integer of at least 19, got 18"},
		{func(d *args.Decoder) any { return d.Uint(19, 29) }, `30`, "want an integer of at most 29, got 30"},
		{func(d *args.Decoder) any { return d.Uint(19, 29) }, `-20`, "want an integer of at least 19, got -20"},
		{func(d *args.Decoder) any { return d.Uint(0, 29) }, `-1e99`, "want an integer of at least 0, got -1e99"},
		{func(d *args.Decoder) any { return d.Uint(0, 29) }, `1e99`, "want an integer of at most 29, got 1e99"},
		{func(d *args.Decoder) any { return d.Uint(0, 29) }, `-0`, "0"},
		{func(d *args.Decoder) any { return d.Uint(0, 29) }, `0.5`, "want an integer, got 0.5"},
		{func(d *args.Decoder) any { return d.Uint(0, 29) }, `true`, "want an integer, got true"},
		{func(d *args.Decoder) any { return d.Float(0.1, 1) }, `0.1`, "0.1"},
		{func(d *args.Decoder) any { return d.Float(0.1, 1) }, `1`, "1"},
		{func(d *args.Decoder) any { return d.Float(0.1, 1) }, `0.05`, "want a number of at least 0.1, got 0.05"},
		{func(d *args.Decoder) any { return d.Float(0.1, 1) }, `1.5`, "want a number of at most 1, got 1.5"},
		{func(d *args.Decoder) any { return d.Float(0.1, 1) }, `"1"`, `want a number, got "1"`},
		{func(d *args.Decoder) any { return d.Float(math.Inf(-1), math.Inf(1)) }, `1e999`, "want a number in the range of double precision, got 1e999"},
		{func(d *args.Decoder) any { return d.Float(math.Inf(-1), math.Inf(1)) }, `-1e999`, "want a number in the range of double precision, got -1e999"},
		{func(d *args.Decoder) any { return d.Float32(0, 1) }, `1.1`, "want a number of at most 1, got 1.1"},
		{func(d *args.Decoder) any { return d.Float32(0, 1) }, `0.1`, "0.1"},
		{func(d *args.Decoder) any { return fmt.Sprintf("%q", d.Number(0, 9)) }, `[]`, "want a number, got an array"},
		{func(d *args.Decoder) any { d.DurationBounds(d.Duration(), time.Minute, time.Hour); return "ok" }, `"1m"`, "ok"},
		{func(d *args.Decoder) any { d.DurationBounds(d.Duration(), time.Minute, time.Hour); return "ok" }, `"1h"`, "ok"},
		{func(d *args.Decoder) any { d.DurationBounds(d.Duration(), time.Minute, time.Hour); return nil }, `"59s"`, `want a duration of at least 1m0s, got "59s"`},
		{func(d *args.Decoder) any { d.DurationBounds(d.Duration(), time.Minute, time.Hour); return nil }, `"61m"`, `want a duration of at most 1h0m0s, got "61m"`},
		{func(d *args.Decoder) any { return d.Duration() }, `1`, `want a duration such as 1h30m, got 1`},
		{func(d *args.Decoder) any { return d.Bytes() }, `1`, `want a string in base64, got 1`},
		{func(d *args.Decoder) any { return d.Bytes() }, `"AAAA\r"`, `want a string in base64, got "AAAA\r"`},
		{func(d *args.Decoder) any { return d.Date() }, `"2024-02-29"`, "2024-02-29 00:00:00 +0000 UTC"},
		{func(d *args.Decoder) any { return d.Date() }, `"2023-02-29"`, `want a date such as 2006-01-02, got "2023-02-29"`},
		{func(d *args.Decoder) any { return d.Date() }, `20240229`, `want a date such as 2006-01-02, got 20240229`},
		{func(d *args.Decoder) any { return d.Time() }, `1`, `want a date and time such as 2006-01-02T15:04:05Z, got 1`},
		{func(d *args.Decoder) any { return d.Time() }, `"2024-01-01"`, `want a date and time such as 2006-01-02T15:04:05Z, got "2024-01-01"`},
		{func(d *args.Decoder) any { return d.Time() }, `"2024-01-02T03:04:05.25+01:00"`, "2024-01-02 03:04:05.25 +0100 +0100"},
		{func(d *args.Decoder) any { return d.Time() }, `"2024-01-02T03:04:05.25-01:30"`, "2024-01-02 03:04:05.25 -0130 -0130"},
		{func(d *args.Decoder) any { return d.URL() }, `1`, `want a URL such as https://example.com/path, got 1`},
		{func(d *args.Decoder) any { return d.URL() }, `"http://[::1%25a]/"`, `want a URL such as https://example.com/path, got "http://[::1%25a]/"`},
		{func(d *args.Decoder) any { return d.URL() }, `"/a"`, `want a URL such as https://example.com/path, got "/a"`},
		{func(d *args.Decoder) any { return d.URL() }, `"%"`, `want a URL such as https://example.com/path, got "%"`},
		{func(d *args.Decoder) any { return string(d.Raw()) }, ` {"a": 1} `, `{"a": 1}`},
		{func(d *args.Decoder) any { d.Text(saying{}); return nil }, `1`, "want a string, got 1"},
		{func(d *args.Decoder) any { d.JSON(attentive{t}); return nil }, `{"a":1`, "want ',' or '}' after a member, got the end of the input at offset 6"},
		{func(d *args.Decoder) any {
			return args.Slice(d, func(_ *int, d *args.Decoder) { d.JSON(picky{}) })
		}, `["ok",[],"ok"]`, "[1]: not accepted: not ok: " + strings.Repeat("x", 192) + "…"},
		{func(d *args.Decoder) any { a := netip.Addr{}; d.Text(&a); return a }, `1`, "want a string, got 1"},
		{func(d *args.Decoder) any { a := netip.Addr{}; d.Text(&a); return a }, `"::2"`, "::2"},
		{quoted(integer), `"7.0"`, "want an integer, got \"7.0\""},
		{quoted(integer), `"-0"`, "want an integer, got \"-0\""},
		{quoted(integer), `7`, "want an integer in a string, got 7"},
		{quoted(integer), `"11"`, "want an integer of at most 10, got \"11\""},
		{quoted(func(d *args.Decoder) any { return d.Float(-1, 1) }), `"5e-1"`, "0.5"},
		{func(d *args.Decoder) any { return d.Bytes() }, `"AAH//g=="`, "[0 1 255 254]"},
		{func(d *args.Decoder) any { return d.Bytes() }, `""`, "[]"},
		{func(d *args.Decoder) any { return d.Bytes() }, `"AAAA\n"`, `want a string in base64, got "AAAA\n"`},
		{func(d *args.Decoder) any { return d.Bytes() }, `"AA"`, `want a string in base64, got "AA"`},
		{func(d *args.Decoder) any { return d.Bytes() }, `"__8="`, `want a string in base64, got "__8="`},
		{func(d *args.Decoder) any { return d.Duration() }, `"-1.5h"`, "-1h30m0s"},
		{func(d *args.Decoder) any { return d.Duration() }, `"9999999h"`, `want a duration such as 1h30m, got "9999999h"`},
		{func(d *args.Decoder) any { return d.Time() }, `"1990-12-31t23:59:60.5z"`, "1991-01-01 00:00:00.5 +0000 UTC"},
		{func(d *args.Decoder) any { return d.URL() }, `"https://a.b"`, "https://a.b"},
		{func(d *args.Decoder) any { return d.URL() }, `"http://[::g]"`, `want a URL such as https://example.com/path, got "http://[::g]"`},
		{func(d *args.Decoder) any { d.JSON(picky{}); return "ok" }, `"ok"`, "ok"},
		{func(d *args.Decoder) any { d.JSON(picky{}); return "" }, ` {"a": 1}`, "not accepted: not ok: " + strings.Repeat("x", 192) + "…"},
		{func(d *args.Decoder) any { return json.Number(d.Number(0, 9)) }, `1.50`, "1.50"},
		{func(d *args.Decoder) any { return d.Number(0, 9) }, `9.1`, "want a number of at most 9, got 9.1"},
		{big10, `1e1`, "10"},
		{big10, `-11`, "want an integer of at least -10, got -11"},
		{big10, `1.1`, "want an integer, got 1.1"},
		{func(d *args.Decoder) any { return args.In(d, d.Int(math.MinInt64, math.MaxInt64), 1, 2) }, `2`, "2"},
		{func(d *args.Decoder) any { return args.In(d, d.Uint(0, 9), 1, 2) }, `3`, "want one of 1, 2, got 3"},
		{func(d *args.Decoder) any { return args.In(d, d.Uint(0, 9), 1, 2) }, `10`, "want an integer of at most 9, got 10"},
		{func(d *args.Decoder) any { return args.In(d, d.Float(0, 9), 0.5) }, `0.25`, "want 0.5, got 0.25"},
		{func(d *args.Decoder) any {
			return args.In(d, d.String(), strings.Split("abcdefghijklmnopqrstuvwxyz", "")...)
		}, `"?"`,
			`want one of "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", …, got "?"`},
		{byInt, `{"-5":1,"5":2}`, "map[-5:1 5:2]"},
		{byInt, `{"6":1}`, `["6"]: the name must be an integer from -5 to 5`},
		{byInt, `{"-99999999999999999999":1}`, `["-99999999999999999999"]: the name must be an integer of at least -5`},
		{byInt, `{"99999999999999999999":1}`, `["99999999999999999999"]: the name must be an integer from -5 to 5`},
		{byInt, `{"-0":1}`, `["-0"]: the name must be an integer`},
		{byUint, `{"0":1,"5":2}`, "map[0:1 5:2]"},
		{byUint, `{"05":1}`, `["05"]: the name must be an integer from 0 to 5`},
		{byAddr, `{"::1":1}`, "map[::1:1]"},
		{byAddr, `{"::1":1,"0::1":2}`, `["0::1"]: given twice`},
		{byAddr, `{"x":1}`, `x: not accepted: ParseAddr("x"): unable to parse IP`},
		{byUnit, `{"b":1}`, "map[b:1]"},
		{byUnit, `{"c":1}`, `c: the name must be one of "a", "b"`},
		{func(d *args.Decoder) any { return d.Tag("kind", "a", "b") }, `{"x":1,"kind":"c"}`, `kind: want one of "a", "b", got "c"`},
		{func(d *args.Decoder) any { return d.Tag("kind", "a") }, `{"x":{"kind":"a"}}`, `kind: required`},
		{func(d *args.Decoder) any { return d.Tag("kind", "a") }, `{"kind":[]}`, `kind: want "a", got another value`},
		{func(d *args.Decoder) any { return d.Tag("kind", "a") }, `[]`, `want an object, got an array`},
		{func(d *args.Decoder) any { return d.Tag("kind", "a") }, `{"kind":"a`, `kind: the string is not closed at the end of the input`},
	} {
		d := args.New(wire.Raw(tt.text), false)
		got := fmt.Sprint(tt.read(d))
		if err := d.Finish(); err != nil {
			got = strings.TrimPrefix(err.Error(), "arguments: ")
		}
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// TestPromises checks results that are, and are not, what a schema promises.
func TestPromises(t *testing.T) {
	ten := big.NewInt(10)
	for _, tt := range []struct {
		check func(e *wire.Encoder)
		want  string
	}{
		{func(e *wire.Encoder) { args.WantOneOf(e, "a", "a", "b") }, ""},
		{func(e *wire.Encoder) { args.WantOneOf(e, int64(3), 1, 2) }, "want one of 1, 2, got 3"},
		{func(e *wire.Encoder) { args.WantBetween(e, 0.5, 0.5, 0.5) }, ""},
		{func(e *wire.Encoder) { args.WantBetween(e, uint64(4), 5, 6) }, "want at least 5, got 4"},
		{func(e *wire.Encoder) { args.WantBetween(e, int64(7), 5, 6) }, "want at most 6, got 7"},
		{func(e *wire.Encoder) { args.WantBetween(e, math.NaN(), 5, 6) }, "want at least 5, got NaN"},
		{func(e *wire.Encoder) { args.WantFloat32(e, 0.1, 0.1, 0.1) }, ""},
		{func(e *wire.Encoder) { args.WantFloat32(e, 0.3, 0.1, 0.2) }, "want at most 0.2, got 0.3"},
		{func(e *wire.Encoder) { args.WantFloat32(e, 1.00000011920928955, 1.00000012, 2) }, "want at least 1.00000012, got 1.0000001"},
		{func(e *wire.Encoder) { args.WantFloat32(e, float32(math.NaN()), 5, 6) }, "want at least 5, got NaN"},
		{func(e *wire.Encoder) { args.WantFloat32(e, float32(math.Inf(1)), 5, 6) }, "want at most 6, got +Inf"},
		{func(e *wire.Encoder) { args.WantFloat32(e, math.MaxFloat32, 5, args.MaxFloat32) }, ""},
		{func(e *wire.Encoder) { args.WantNumber(e, "5.0", 5, 6) }, ""},
		{func(e *wire.Encoder) { args.WantNumber(e, "6.5", 5, 6) }, "want at most 6, got 6.5"},
		{func(e *wire.Encoder) { args.WantBig(e, ten, "10", "") }, ""},
		{func(e *wire.Encoder) { args.WantBig(e, ten, "", "9") }, "want an integer of at most 9, got 10"},
		{func(e *wire.Encoder) { args.WantBig(e, ten, "", "10") }, ""},
		{func(e *wire.Encoder) { args.WantBig(e, ten, "11", "") }, "want an integer of at least 11, got 10"},
		{func(e *wire.Encoder) { args.WantBig(e, big.NewInt(18), "19", "19") }, "want an integer of at least 19, got 18"},
		{func(e *wire.Encoder) { args.WantBig(e, big.NewInt(20), "19", "19") }, "want an integer of at most 19, got 20"},
		{func(e *wire.Encoder) { args.WantBig(e, big.NewInt(19), "19", "19") }, ""},
		{func(e *wire.Encoder) { args.WantBig(e, new(big.Int).Exp(ten, big.NewInt(39), nil), "", "9") },
			"want an integer of at most 9, got 1" + strings.Repeat("0", 39)},
		{func(e *wire.Encoder) { args.WantBig(e, new(big.Int).Exp(ten, big.NewInt(40), nil), "", "9") },
			"want an integer of at most 9, got 1" + strings.Repeat("0", 39) + "…"},
		{func(e *wire.Encoder) { args.WantBetween(e, int64(5), 5, 6) }, ""},
		{func(e *wire.Encoder) { args.WantBetween(e, int64(6), 5, 6) }, ""},
		{func(e *wire.Encoder) { args.WantNumber(e, "", 0, 0) }, ""},
		{func(e *wire.Encoder) { args.WantNumber(e, "", 1, 2) }, "want at least 1, got 0"},
		{func(e *wire.Encoder) { args.WantNumber(e, "1e999", 5, 6) }, "want at most 6, got +Inf"},
		{func(e *wire.Encoder) { args.WantNumber(e, "-1e999", 5, 6) }, "want at least 5, got -Inf"},
		{func(e *wire.Encoder) { args.WantNumber(e, "x", 5, 6) }, ""}, // which PutNumber refuses
		{func(e *wire.Encoder) { args.WantNumber(e, "0.1", 0.1, 0.1) }, ""},
		{func(e *wire.Encoder) { args.WantDuration(e, 5, 5, 5) }, ""},
		{func(e *wire.Encoder) { args.WantDuration(e, time.Second, time.Minute, time.Hour) }, "want a duration of at least 1m0s, got 1s"},
		{func(e *wire.Encoder) { args.WantDuration(e, 2*time.Hour, time.Minute, time.Hour) }, "want a duration of at most 1h0m0s, got 2h0m0s"},
		{func(e *wire.Encoder) { args.WantURL(e, &url.URL{Scheme: "urn", Opaque: "x"}) }, ""},
		{func(e *wire.Encoder) { args.WantURL(e, &url.URL{Path: "/x"}) }, `want a URL with a scheme, got "/x"`},
		{func(e *wire.Encoder) { args.WantOneOf(e, uint64(19), 20, 30) }, "want one of 20, 30, got 19"},
		{func(e *wire.Encoder) { args.WantOneOf(e, 0.1, 0.25) }, "want 0.25, got 0.1"},
		{func(e *wire.Encoder) { args.WantOneOf(e, "é\x00", "a\n") }, `want "a\n", got "é\x00"`},
		{func(e *wire.Encoder) { args.WantCount(e, 1, 1, 2, "item") }, ""},
		{func(e *wire.Encoder) { args.WantCount(e, 2, 1, 2, "item") }, ""},
		{func(e *wire.Encoder) { args.WantCount(e, 0, 1, 2, "item") }, "want at least 1 item, got 0"},
		{func(e *wire.Encoder) { args.WantCount(e, 3, 1, 2, "item") }, "want at most 2 items, got 3"},
		{func(e *wire.Encoder) { args.WantCount(e, 3, 1, 1, "item") }, "want 1 item, got 3"},
		{func(e *wire.Encoder) { args.WantCount(e, 1, 0, 0, "item") }, "want 0 items, got 1"},
		{func(e *wire.Encoder) { args.WantLength(e, "äöü", 3, 3) }, ""},
		{func(e *wire.Encoder) { args.WantLength(e, "ä", 3, 3) }, "want 3 characters, got 1"},
		{func(e *wire.Encoder) { args.WantCount(e, 2, 0, 1, "item") }, "want at most 1 item, got 2"},
		{func(e *wire.Encoder) { args.WantFormat(e, "a@b.c", "an email address", args.IsEmail) }, ""},
		{func(e *wire.Encoder) { args.WantFormat(e, "ab", "an email address", args.IsEmail) }, `want an email address, got "ab"`},
	} {
		_, err := args.Encode(&tt.check, func(v *func(*wire.Encoder), e *wire.Encoder) {
			(*v)(e)
			e.Null()
		})
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "the result cannot be encoded: ")
		}
		if got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
