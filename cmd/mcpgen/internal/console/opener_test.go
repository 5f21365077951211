package console

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// TestOpener says which targets have a login: servers over HTTP, if no token is given, and if there was one or may be one.
func TestOpener(t *testing.T) {
	const url = "https://mcp.example/mcp"
	logger := slog.New(slog.DiscardHandler)
	for _, test := range []struct {
		name   string
		target Target
		tokens bool // there are tokens of an earlier login
		home   bool // there is a folder for tokens
		login  bool
		fails  bool
	}{
		{"a program", Target{Command: []string{"x"}}, true, true, false, false},
		{"a token", Target{URL: url, Header: http.Header{"Authorization": {"Bearer x"}}}, true, true, false, false},
		{"anything", Target{URL: url}, false, true, true, false},
		{"no folder", Target{URL: url}, false, false, false, true},
		{"no login", Target{URL: url, NoLogin: true}, false, true, false, false},
		{"an earlier login", Target{URL: url, NoLogin: true}, true, true, true, false},
		{"no login and no folder", Target{URL: url, NoLogin: true}, false, false, false, false},
		{"no URL", Target{URL: "ftp://x"}, false, true, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := ""
			if test.home {
				dir = t.TempDir()
			}
			t.Setenv("HOME", dir)
			t.Setenv("XDG_CONFIG_HOME", dir)
			if test.tokens {
				if err := os.MkdirAll(filepath.Join(dir, "mcpgen", "tokens"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			o, err := test.target.Opener(logger)
			if (err != nil) != test.fails {
				t.Fatalf("got %v", err)
			}
			if err != nil {
				return
			}
			defer o.Close()
			if (o.login != nil) != test.login {
				t.Errorf("a login: %v", o.login != nil)
			}
		})
	}
}

// TestLogins connects again after each login, and not for ever.
func TestLogins(t *testing.T) {
	for _, test := range []struct {
		logins int // that are wanted
		want   string
	}{{0, "refused"}, {1, "refused"}, {maxLogins, "refused"}, {maxLogins + 1, "the server wants another login after 3"}} {
		o := &Opener{asked: make(chan (<-chan struct{}), 1)}
		closed := make(chan struct{})
		close(closed)
		o.asked <- nil // of an earlier connection
		attempts := 0
		err := o.Connect(t.Context(), func(ctx context.Context) error {
			if attempts++; attempts <= test.logins {
				o.asked <- closed
				<-ctx.Done()
				return ctx.Err()
			}
			return errors.New("refused")
		})
		if err == nil || err.Error() != test.want || attempts != min(test.logins, maxLogins)+1 {
			t.Errorf("%d logins: got %v after %d attempts", test.logins, err, attempts)
		}
	}
	o := &Opener{asked: make(chan (<-chan struct{}), 1)}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	err := o.Connect(ctx, func(ctx context.Context) error {
		o.asked <- make(chan struct{})
		<-ctx.Done()
		cancel(gone)
		return ctx.Err()
	})
	if err != gone {
		t.Errorf("got %v", err)
	}
}

// A program that does not exist is an error, and one that says nothing, too.
func TestConnectErrors(t *testing.T) {
	target := &Target{Command: []string{filepath.Join(t.TempDir(), "missing")}, Stderr: io.Discard}
	if s, err := target.Connect(t.Context(), client.Options{}); s != nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestOfferAll(t *testing.T) {
	var opts client.Options
	OfferAll(&opts)
	if opts.Roots == nil || len(opts.Roots) != 0 || opts.Capabilities.Sampling == nil || opts.Capabilities.Elicitation == nil ||
		opts.Capabilities.Elicitation.Form == nil || opts.Capabilities.Elicitation.URL == nil {
		t.Errorf("got %+v", opts)
	}
}

// TestUnknown says what may be the reason that there is no such item.
func TestUnknown(t *testing.T) {
	s := &Server{opener: &Opener{target: &Target{}}}
	if e := s.Unknown("tool", "x", []string{"y"}); e.Error() != `the server has no tool "x"` || e.Given || e.LoggedIn || len(e.Known) != 1 {
		t.Errorf("got %+v", e)
	}
	s.opener.target.Header = http.Header{"Authorization": {"Bearer x"}}
	if e := s.Unknown("tool", "x", nil); !e.Given {
		t.Errorf("got %+v", e)
	}
}

// one is a transport that carries the same message for ever, or an error.
type one struct {
	transport.Transport
	err error
}

func (o one) Send(context.Context, transport.Message) error { return o.err }
func (o one) Receive(context.Context) (transport.Message, error) {
	return transport.Message{Data: []byte(`"in"`)}, o.err
}

func TestWireLog(t *testing.T) {
	var b strings.Builder
	broken := errors.New("broken")
	for _, err := range []error{nil, broken} {
		l := &wireLog{one{err: err}, &b}
		if got := l.Send(t.Context(), transport.Message{Data: []byte(`"out"`)}); got != err {
			t.Errorf("got %v", got)
		}
		if _, got := l.Receive(t.Context()); got != err {
			t.Errorf("got %v", got)
		}
		if l.PerRequest() {
			t.Error("it is one connection")
		}
	}
	if want := "→ \"out\"\n← \"in\"\n→ \"out\"\n"; b.String() != want {
		t.Errorf("got %s", &b)
	}
}
