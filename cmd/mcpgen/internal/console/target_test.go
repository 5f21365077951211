package console

import (
	"strings"
	"testing"
	"time"
)

// Who is asked to log in sees for whom, and nothing that a terminal obeys.
func TestInvitation(t *testing.T) {
	got := invitation("https://mcp.example/mcp", "https://as.example/\u202e", "https://login\u009b.example/authorize?scope=a+b%1b&state=s", loginTime)
	const want = "https://mcp.example/mcp wants a login with the scopes [\"a\" \"b\\x1b\"].\n" +
		"Its authorization server is https://as.example/%E2%80%AE, the page is at login%C2%9B.example.\n" +
		"If no browser shows it, open it within 5 minutes:\nhttps://login%C2%9B.example/authorize?scope=a+b%1b&state=s\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := invitation("https://mcp.example/mcp", "https://as.example/", "https://as.example/authorize", 4800*time.Millisecond); !strings.Contains(got, "open it within 5s:") {
		t.Errorf("got\n%s", got)
	}
}
