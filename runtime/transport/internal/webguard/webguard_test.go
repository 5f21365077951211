package webguard

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Which pages may use a server, by the header Origin.
//
// REQ HTTP-02, SEC-17, SSE-05
func TestOrigins(t *testing.T) {
	for _, test := range []struct {
		origins []string // of the options
		sent    []string
		ok      bool
	}{
		{nil, nil, true},
		{nil, []string{"http://localhost"}, true},
		{nil, []string{"https://friend.example"}, false},
		{nil, []string{"null"}, false},
		{[]string{"https://friend.example"}, []string{"https://friend.example"}, true},
		{[]string{"https://friend.example"}, []string{"HTTPS://Friend.example"}, true},
		{[]string{"https://friend.example"}, []string{"http://localhost"}, true},
		{[]string{"https://friend.example"}, []string{"https://evil.example"}, false},
		{[]string{"*"}, []string{"https://evil.example"}, true},
		{[]string{"https://friend.example", "*"}, []string{"null"}, true},
		{[]string{"*"}, []string{"https://a.example", "https://b.example"}, false},
		{nil, []string{"http://localhost", "http://localhost"}, false},
	} {
		r := httptest.NewRequest("POST", "http://localhost/mcp", nil)
		for _, origin := range test.sent {
			r.Header.Add("Origin", origin)
		}
		if err := (&Guard{Origins: test.origins}).Check(http.Header{}, r); (err == nil) != test.ok {
			t.Errorf("%q where %q may: %v", test.sent, test.origins, err)
		}
	}
}
