package args_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var formats = []struct {
	name      string
	is        func(string) bool
	good, bad []string
}{
	{"date", args.IsDate, []string{"2024-02-29", "0001-01-01"}, []string{"", "2023-02-29", "2024-1-01", "2024-01-01T", "24-01-01", "2024-13-01"}},
	{"time", args.IsTime, []string{"00:00:00Z", "23:59:59.123456789012z", "12:00:00+23:59", "23:59:60Z", "00:29:60+00:30", "22:59:60-01:00"},
		[]string{"", "12:00:00", "24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:60Z", "12:00:00.Z", "12:00:00+1:00", "12:00:00+24:00", "1:00:00Z", "12:00Z"}},
	{"date-time", args.IsDateTime, []string{"2024-02-29T12:00:00Z", "2024-02-29t12:00:00.5-08:00", "1990-12-31T23:59:60Z"},
		[]string{"", "2024-02-29", "2024-02-29 12:00:00Z", "2024-02-30T12:00:00Z", "2024-02-29T12:00:00"}},
	{"duration", args.IsDuration, []string{"P1Y2M3D", "PT1H", "P1DT2M3S", "P2W", "P0D"},
		[]string{"", "P", "PT", "P1", "1D", "P1H", "P1DT", "P1M1Y", "PT1S1M", "P1W1D", "P1.5D", "PT1HT1M", "P1D1D"}},
	{"email", args.IsEmail, []string{"a@b.c", "a.b+c@d-e.example", "\"a b\"@c.d", "a@[127.0.0.1]", "a@[IPv6:::1]", "a@localhost", `""@b`,
		"AZaz09@b", strings.Repeat("a", 64) + "@b", "a@" + strings.Repeat("a.", 125) + "aa"},
		[]string{"", "a", "@b", "a@", "a..b@c.d", ".a@b.c", "a.@b.c", "a b@c.d", "\"a\"b\"@c.d", "a@-b", "a@[1.2.3]", "ä@b.c", `"@b`, `"a@b`, `a"@b`,
			strings.Repeat("a", 65) + "@b", "a@" + strings.Repeat("a.", 126) + "a", "a@[127.0.0.1", "a@127.0.0.1]", "a@[IPv6:1.2.3.4]", "a@[::1]"}},
	{"hostname", args.IsHostname, []string{"a", "a.b.", "xn--a", "1.2.3", "a-b", "AZaz09", strings.Repeat("a", 63), strings.Repeat("a.", 126) + "a",
		strings.Repeat("a.", 126) + "a."}, []string{"", ".", "a..", strings.Repeat("a", 64), strings.Repeat("a.", 126) + "aa", "a@", "a`", "a[", "a{", "a/", "a:", "-a", "a-", "a..b", "a_b", "ä.de", "a b"}},
	{"ipv4", args.IsIPv4, []string{"0.0.0.0", "255.255.255.255"}, []string{"", "1.2.3", "256.1.1.1", "01.2.3.4", "1.2.3.4.5", "::1", "1.2.3.4 "}},
	{"ipv6", args.IsIPv6, []string{"::", "::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"}, []string{"", "1.2.3.4", "1:2", "::1%eth0", ":::", "12345::"}},
	{"uuid", args.IsUUID, []string{"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"},
		[]string{"", "f81d4fae7dec11d0a76500a0c91e6bf6", "g81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf"}},
	{"uri", args.IsURI, []string{"https://a.b/c?d#e", "mailto:a@b", "urn:x:y", "http://[::1]/"}, []string{"", "/a", "a b", "//a", "http://[::1", "%"}},
	{"uri-reference", args.IsURIReference, []string{"", "/a", "../b?c", "#d", "https://a"}, []string{`\a`, "%", "http://a b", ":"}},
}

// TestFormats compares the checks with what they shall accept, and with those of the library that
// validates schemas elsewhere in this module, on these texts and on random changes of them.
func TestFormats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range formats {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("x", map[string]any{"format": f.name}); err != nil {
			t.Fatal(err)
		}
		oracle, err := c.Compile("x")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range f.good {
			if !f.is(s) {
				t.Errorf("%s: %q is refused", f.name, s)
			}
		}
		for _, s := range f.bad {
			if f.is(s) {
				t.Errorf("%s: %q is accepted", f.name, s)
			}
		}
		all := slices.Concat(f.good, f.bad)
		for range 20_000 {
			s := change(r, all[r.IntN(len(all))])
			if f.name == "date-time" {
				d := args.New(wire.Raw(strconv.Quote(s)), false)
				if d.Time(); (d.Finish() == nil) != f.is(s) {
					t.Errorf("%q as a time: %v", s, d.Finish())
				}
			}
			if got, want := f.is(s), oracle.Validate(s) == nil; got != want && !lax(f.name, s) {
				t.Errorf("%s: %q: got %t, the library says %t", f.name, s, got, want)
			}
		}
	}
}

// lax reports whether s is of a kind of which the library accepts more than the RFCs do: numbers with
// a sign, and addresses without a local part.
func lax(format, s string) bool {
	switch format {
	case "time", "date-time", "ipv4":
		return regexp.MustCompile(`(^|[T.:+-])[+-][0-9]`).MatchString(strings.ToUpper(s))
	case "email":
		return s[0] == '@' || regexp.MustCompile(`\[.*[+-].*\]`).MatchString(s)
	}
	return false
}

// change replaces, removes or puts in one or two characters.
func change(r *rand.Rand, s string) string {
	const letters = "0123456789abfgzZTtPWDHMSY:-+.@[]%/\\ \"_~ä?#"
	for range 1 + r.IntN(2) {
		at := r.IntN(len(s) + 1)
		put := string([]rune(letters)[r.IntN(40)])
		switch end := min(len(s), at+1); r.IntN(3) {
		case 0:
			s = s[:at] + put + s[at:]
		case 1:
			s = s[:at] + s[end:]
		default:
			s = s[:at] + put + s[end:]
		}
	}
	return s
}
