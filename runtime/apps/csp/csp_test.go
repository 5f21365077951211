package csp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/runtime/apps/csp"
)

func TestCheck(t *testing.T) {
	for _, good := range []string{
		"https://example.com", "https://*.example.com", "wss://example.com:8443", "https://a-b.c_d"[:13], "http://localhost:3000", "http://127.0.0.1:1",
		"ws://[::1]:80", "https://EXAMPLE.com", "https://192.0.2.1", "https://xn--bcher-kva.example",
	} {
		if err := csp.Check(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		"":            "want an origin, such as https://api.example.com or https://*.example.com, got \"\"",
		"example.com": "want an origin, such as",
		"*":           "want an origin, such as",
		"'self'":      "want an origin, such as",
		"https://":    `want a host after https://, got "https://"`, "https:": "want an origin, such as",
		"data:":                                      "want an origin, such as",
		"https://example.com/":                       "want an origin, such as",
		"https://example.com/a":                      "want an origin, such as",
		"https://example.com?a":                      "want an origin, such as",
		"https://user@example.com":                   "want an origin, such as",
		" https://example.com":                       "want an origin, such as",
		"https://example.com; script-src":            "want an origin, such as",
		"https://a.com https://b.com":                "want an origin, such as",
		"https://example.com;":                       `want a host after https://, got "https://example.com;"`,
		"https://example.com,b":                      "want a host after https://",
		"https://a'b":                                "want a host after https://",
		"https://*":                                  "want a host after https://",
		"https://a.*.com":                            "want a host after https://",
		"https://example.com:":                       "want a host after https://",
		"https://-a.com":                             "want a host after https://",
		"https://bücher.example":                     "want a host after https://",
		"https://" + strings.Repeat("a.", 127) + "a": "want a host after https://",
		"http://example.com":                         `want https or wss in place of http, got "http://example.com"`,
		"ws://10.0.0.1":                              "want https or wss in place of ws",
		"javascript://example.com":                   "want https or wss in place of javascript",
		"HTTPS://example.com":                        "want an origin, such as",
	} {
		if err := csp.Check(bad); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", bad, err, want)
		}
	}
}

const restrictive = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
	"media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; form-action 'none'; base-uri 'self'"

// REQ APP-12, APP-13
func TestHeader(t *testing.T) {
	for _, c := range []*ui.ResourceCsp{nil, {}, {ConnectDomains: []string{}}} {
		if got, left := csp.Header(c); got != restrictive || left != nil {
			t.Errorf("got %s, %v", got, left)
		}
	}
	got, left := csp.Header(&ui.ResourceCsp{
		ConnectDomains:  []string{"https://api.example.com", "wss://api.example.com"},
		ResourceDomains: []string{"https://cdn.example.com"},
		FrameDomains:    []string{"https://frame.example.com"},
		BaseURIDomains:  []string{"https://base.example.com"},
	})
	want := "default-src 'none'; script-src 'self' 'unsafe-inline' https://cdn.example.com; style-src 'self' 'unsafe-inline' https://cdn.example.com; " +
		"img-src 'self' data: https://cdn.example.com; font-src 'self' https://cdn.example.com; media-src 'self' data: https://cdn.example.com; " +
		"connect-src https://api.example.com wss://api.example.com; frame-src https://frame.example.com; object-src 'none'; form-action 'none'; base-uri https://base.example.com"
	if got != want || left != nil {
		t.Errorf("got %s, %v", got, left)
	}
	evil := []string{"'unsafe-eval'", "https://a.example", "*", "https://a;script-src *"}
	got, left = csp.Header(&ui.ResourceCsp{ConnectDomains: evil, BaseURIDomains: []string{"*"}})
	if got != strings.Replace(restrictive, "connect-src 'none'", "connect-src https://a.example", 1) || len(left) != 4 {
		t.Errorf("got %s, %v", got, left)
	}
	if want := "connectDomains[3]: want a"; !strings.HasPrefix(fmt.Sprint(left[2]), want) {
		t.Errorf("got %v", left)
	}
	many := slices.Repeat([]string{"https://a.example"}, 65)
	got, left = csp.Header(&ui.ResourceCsp{FrameDomains: many})
	if n := strings.Count(got, "https:"); n != 64 || fmt.Sprint(left) != "[frameDomains: want at most 64 origins, got 65]" {
		t.Errorf("%d origins, %v", n, left)
	}
}

// FuzzHeader holds that an origin cannot add a directive or a keyword to a policy.
func FuzzHeader(f *testing.F) {
	for _, s := range []string{"https://example.com", "'self'", "https://a; script-src *", "https://[::1]:1", "https://*.a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, origin string) {
		got, left := csp.Header(&ui.ResourceCsp{ConnectDomains: []string{origin}})
		if len(left) == 1 {
			if got != restrictive {
				t.Errorf("%q is refused, and changes the policy: %s", origin, got)
			}
			return
		}
		if got != strings.Replace(restrictive, "connect-src 'none'", "connect-src "+origin, 1) {
			t.Errorf("%q: %s", origin, got)
		}
		if strings.ContainsAny(origin, " ;,'\"\t\r\n") || strings.Trim(origin, "*") == "" || !strings.Contains(origin, "://") {
			t.Errorf("%q is taken for an origin", origin)
		}
	})
}
