package as_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

var size = limits.Flags()

// TestCost is the table of what hostile requests cost.
func TestCost(t *testing.T) {
	opts := options()
	opts.Logger = slog.New(slog.DiscardHandler)
	s, err := as.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	register := func(format string) func(int) string {
		return func(n int) string {
			return `{"redirect_uris":` + limits.List(n, "[", "]", func(i int) string { return fmt.Sprintf(format, i) }) + `}`
		}
	}
	const most = 60 << 10 // more is refused unread, as are these queries and metadata
	var cases []limits.Case
	for _, c := range []struct {
		name, method, path, contentType string
		input                           func(n int) string
	}{
		{"many redirect URIs", "POST", "/register", "application/json", register(`"https://a%d.example/"`)},
		{"many unknown members", "POST", "/register", "application/json", func(n int) string {
			return limits.List(n, "{", "}", func(i int) string { return fmt.Sprintf(`"a%d":1`, i) })
		}},
		{"a long name", "POST", "/register", "application/json", func(n int) string {
			return `{"redirect_uris":["https://a.example/"],"client_name":"` + strings.Repeat("a", n) + `"}`
		}},
		{"many parameters", "POST", "/token", "application/x-www-form-urlencoded", func(n int) string {
			return limits.List(n, "", "", func(i int) string { return fmt.Sprintf("a%d=b&", i) })
		}},
		{"a long code", "POST", "/token", "application/x-www-form-urlencoded", func(n int) string {
			return codeForm(strings.Repeat("a.", n/2), nil).Encode()
		}},
		{"an encoded secret", "POST", "/token", "application/x-www-form-urlencoded", func(n int) string {
			return "grant_type=client_credentials&client_id=machine&client_secret=" + strings.Repeat("%41", n/3)
		}},
		{"a long assertion", "POST", "/token", "application/x-www-form-urlencoded", func(n int) string {
			return "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + strings.Repeat("a.", n/2)
		}},
		{"a long token", "POST", "/revoke", "application/x-www-form-urlencoded", func(n int) string {
			return "client_id=app&token=a." + strings.Repeat("a", n) + ".a"
		}},
		{"a long state", "GET", "/authorize", "", func(n int) string {
			return strings.TrimPrefix(authorizationURL(map[string]string{"state": strings.Repeat("a", n)}), "/authorize?")
		}},
		{"many scopes", "GET", "/authorize", "", func(n int) string {
			return strings.TrimPrefix(authorizationURL(map[string]string{"scope": strings.Repeat("a ", n/2)}), "/authorize?")
		}},
		{"a long client", "GET", "/authorize", "", func(n int) string {
			return strings.TrimPrefix(authorizationURL(map[string]string{"client_id": "https://" + strings.Repeat("a.", n/2)}), "/authorize?")
		}},
	} {
		cases = append(cases, limits.Case{
			Name:  "as: " + c.name,
			Fixed: 2 * time.Millisecond, // a request, and a page
			Input: func(n int) string { return c.input(min(n, most)) },
			Run: func(in string) string {
				r := httptest.NewRequest(c.method, issuer+c.path, strings.NewReader(in))
				r.Header.Set("Content-Type", c.contentType)
				if c.method == http.MethodGet {
					r.URL.RawQuery = in
				}
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				return style.ReplaceAllString(w.Body.String(), "")
			},
		})
	}
	limits.Check(t, *size, cases)
}
