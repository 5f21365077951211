package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
)

// TestSecured runs the whole of it: nobody gets in without a token, the user is asked once for each step, and what
// was asked for happens.
func TestSecured(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, "127.0.0.1:0", false, false); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	got := regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(out.String(), "HOST")
	const want = `The MCP server is http://HOST/mcp, and http://HOST is its authorization server.
Without a token, a request has the status 401 Unauthorized.

The client connects:
  The browser shows: Log in
  Ada logs in.
  The browser shows: The example asks for access
    - Read your notes notes:read
  Ada allows it.
There is the tool add_note.
There is the tool list_notes.

The client calls list_notes:
There are no notes.

The client calls add_note:
  The browser shows: The example asks for access
    - Read your notes notes:read
    - Write notes for you notes:write
  Ada allows it.
Notes now: 1

The client calls list_notes:
Weave algebraic patterns
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestServe serves until it is interrupted.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, w, "127.0.0.1:0", true, false) }()
	said := ""
	for buffer := make([]byte, 1024); !strings.Contains(said, "Log in as"); {
		n, err := r.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		said += string(buffer[:n])
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
