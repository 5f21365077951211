package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

func TestSnake(t *testing.T) {
	for name, want := range map[string]string{
		"Add": "add", "GetUserByID": "get_user_by_id", "HTTPServer": "http_server", "parseURLs": "parse_urls", "URLsOf": "urls_of",
		"ListV2Items": "list_v2_items", "A": "a", "ABTest": "ab_test", "Get_it": "get_it", "X9": "x9", "OAuth2Token": "o_auth2_token",
	} {
		if got := Snake(name); got != want {
			t.Errorf("Snake(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestGeneratedNames finds the names of a package that was not type-checked.
func TestGeneratedNames(t *testing.T) {
	for src, want := range map[string][]string{
		"package p":                          nil,
		"package p\n//mcp:tool\nfunc F() {}": {"Register"},
		"package p\n//mcp:prompt\nfunc (w *weather[T]) F() {}":                         {"RegisterWeather"},
		"//mcp:server name=x register=R\npackage p\n//mcp:resource x://y\nfunc F() {}": {"NewServer", "R"},
		"package p\n//mcp:complete A b\nfunc F() {}\n// mcp:tool\nfunc G() {}":         nil,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "a.go", src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := GeneratedNames([]*ast.File{f}); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

// TestServerVersion reads the version from a file that was not type-checked.
func TestServerVersion(t *testing.T) {
	for src, want := range map[string]string{
		"//mcp:server name=x version=0.1.0\npackage p":                            "0.1.0",
		"// Package p has one.\n//\n//mcp:server name=x version=1.2.3\npackage p": "1.2.3",
		"//mcp:server name=x\npackage p":                                          "",
		"package p\n\n//mcp:server name=x version=0.1.0\nvar x int":               "",
		"//mcp:server name=x version=0.1.0\n\npackage p":                          "",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "a.go", src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := ServerVersion(f); got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}
