package auth

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// REQ AUTH06-05
func TestCanonicalURI(t *testing.T) {
	for uri, want := range map[string]string{
		"https://mcp.example.com/mcp":        "https://mcp.example.com/mcp",
		"https://mcp.example.com":            "https://mcp.example.com",
		"https://mcp.example.com/":           "https://mcp.example.com",
		"HTTPS://MCP.Example.COM/Mcp":        "https://mcp.example.com/Mcp",
		"https://mcp.example.com:8443":       "https://mcp.example.com:8443",
		"https://mcp.example.com:443/x":      "https://mcp.example.com/x",
		"https://mcp.example.com:/x":         "https://mcp.example.com/x",
		"http://localhost:80":                "http://localhost",
		"http://localhost:443/x":             "http://localhost:443/x",
		"https://mcp.example.com:80/x":       "https://mcp.example.com:80/x",
		"http://[::1]:8080/mcp":              "http://[::1]:8080/mcp",
		"https://[2001:DB8::1]:443/mcp":      "https://[2001:db8::1]/mcp",
		"https://mcp.example.com/server/mcp": "https://mcp.example.com/server/mcp",
		"https://mcp.example.com/mcp/":       "https://mcp.example.com/mcp/", // another resource than without the slash
		"https://mcp.example.com/a%2Fb":      "https://mcp.example.com/a%2Fb",
		"mcp.example.com":                    "",
		"https://mcp.example.com#fragment":   "",
		"https://mcp.example.com/mcp#":       "",
		"https://mcp.example.com/mcp?":       "",
		"https://mcp.example.com/mcp?a=b":    "",
		"https://user@mcp.example.com":       "",
		"http://mcp.example.com":             "",
		"javascript:alert(1)":                "",
		"https:///mcp":                       "",
		"/mcp":                               "",
		"":                                   "",
		"https://a b":                        "",
	} {
		got, err := CanonicalURI(uri)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q and %v, want %q", uri, got, err, want)
		}
		if want != "" && !sameURI(uri, want) || sameURI(uri, want+"/x") {
			t.Errorf("%q is compared wrongly", uri)
		}
	}
}

func TestWellKnownURLs(t *testing.T) {
	type urls struct{ resource, server []string }
	for uri, want := range map[string]urls{
		"https://example.com/": {
			[]string{"https://example.com/.well-known/oauth-protected-resource"},
			[]string{"https://example.com/.well-known/oauth-authorization-server", "https://example.com/.well-known/openid-configuration"},
		},
		"https://example.com/t/1": {
			[]string{"https://example.com/.well-known/oauth-protected-resource/t/1", "https://example.com/.well-known/oauth-protected-resource"},
			[]string{
				"https://example.com/.well-known/oauth-authorization-server/t/1", "https://example.com/.well-known/openid-configuration/t/1",
				"https://example.com/t/1/.well-known/openid-configuration",
			},
		},
		"https://example.com/t/": {
			[]string{"https://example.com/.well-known/oauth-protected-resource/t/", "https://example.com/.well-known/oauth-protected-resource"},
			[]string{
				"https://example.com/.well-known/oauth-authorization-server/t", "https://example.com/.well-known/openid-configuration/t",
				"https://example.com/t/.well-known/openid-configuration",
			},
		},
		"https://example.com?x": {},
	} {
		resource, err := ResourceMetadataURLs(uri)
		server, err2 := ServerMetadataURLs(uri)
		if diff := cmp.Diff(want, urls{resource, server}, cmp.AllowUnexported(urls{})); diff != "" || (err != nil) != (want.server == nil) || (err2 != nil) != (want.server == nil) {
			t.Errorf("%s: %v %v %s", uri, err, err2, diff)
		}
	}
}
