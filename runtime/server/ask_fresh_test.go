package server_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func visit(url string) *mcp.ElicitRequestURLParams {
	return &mcp.ElicitRequestURLParams{Message: "Please sign in", URL: url}
}

func enter(message string) *mcp.ElicitRequestFormParams {
	return &mcp.ElicitRequestFormParams{Message: message}
}

// signIn asks as one function of a server may for another.
func signIn(ctx context.Context, c *server.Call, url string) error {
	_, err := c.Elicit(ctx, visit(url))
	return err
}

// What differs from run to run is an error before the user is asked for ever; what only looks so is not.
//
// REQ MRTR-03, MRTR-05
func TestFreshRequest(t *testing.T) {
	const fault = "differs from one run to the next"
	signedIn := false
	for _, test := range []struct {
		name  string
		ask   func(ctx context.Context, c *server.Call) error
		asked int // how often the user is asked
		fails bool
	}{
		{"fresh URL", func(ctx context.Context, c *server.Call) error {
			return signIn(ctx, c, "https://example.com/"+rand.Text())
		}, 2, true},
		{"fresh after another", func(ctx context.Context, c *server.Call) error {
			if _, err := c.Elicit(ctx, enter("first")); err != nil {
				return err
			}
			return signIn(ctx, c, "https://example.com/"+rand.Text())
		}, 3, true},
		{"fresh beside another", func(ctx context.Context, c *server.Call) error {
			_, err1 := c.Elicit(ctx, enter("first"))
			err2 := signIn(ctx, c, "https://example.com/"+rand.Text())
			if err1 != nil {
				return err1
			}
			return err2
		}, 4, true},
		{"fresh form", func(ctx context.Context, c *server.Call) error {
			_, err := ask.Form[struct{}](ctx, c, rand.Text())
			return err
		}, 2, true},
		{"with a key", func(ctx context.Context, c *server.Call) error {
			_, err := c.WithKey("sign in").Elicit(ctx, visit("https://example.com/"+rand.Text()))
			return err
		}, 1, false},
		{"made once", func(ctx context.Context, c *server.Call) error {
			id, err := server.OnceValue(c, "id", func() (string, error) { return rand.Text(), nil })
			if err != nil {
				return err
			}
			return signIn(ctx, c, "https://example.com/"+id)
		}, 1, false},
		{"asked once", func(ctx context.Context, c *server.Call) error {
			if err := c.Once("sign in", func() error { return signIn(ctx, c, "https://example.com/a") }); err != nil {
				return err
			}
			return signIn(ctx, c, "https://example.com/b")
		}, 2, false},
		{"no longer needed", func(ctx context.Context, c *server.Call) error {
			if !signedIn {
				signedIn = true
				return signIn(ctx, c, "https://example.com/")
			}
			_, err := c.Elicit(ctx, visit("https://example.com/other"))
			return err
		}, 2, false},
		{"a helper in two places", func(ctx context.Context, c *server.Call) error {
			if !signedIn {
				signedIn = true
				return signIn(ctx, c, "https://example.com/")
			}
			return signIn(ctx, c, "https://example.com/other")
		}, 2, false},
		{"in a loop", func(ctx context.Context, c *server.Call) error {
			for i := range 3 {
				if err := signIn(ctx, c, fmt.Sprintf("https://example.com/%d", i)); err != nil {
					return err
				}
			}
			return nil
		}, 3, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			signedIn = false
			var log bytes.Buffer
			var lock sync.Mutex
			s := server.New(mcp.Implementation{Name: "t", Version: "1"}, &server.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			s.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				if err := test.ask(ctx, c); err != nil {
					return nil, err
				}
				return server.TextResult("done"), nil
			})
			asked := 0
			c := mcptest.Connect(t, s, &mcptest.Options{Revision: mcp.V2026_07_28, Client: client.Options{
				Elicit: elicit.Handler{
					Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
						lock.Lock()
						defer lock.Unlock()
						asked++
						return &mcp.ElicitResult{Action: mcp.ElicitResultActionAccept}, nil
					},
					URL: func(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
						lock.Lock()
						defer lock.Unlock()
						asked++
						return mcp.ElicitResultActionAccept, nil
					},
				},
			}})
			r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "ask"})
			if asked != test.asked {
				t.Errorf("the user was asked %d times, want %d", asked, test.asked)
			}
			switch {
			case !test.fails && (err != nil || r.GetIsError()):
				t.Errorf("%v %v", r, err)
			case test.fails && (err == nil || !strings.Contains(err.Error(), fault)):
				t.Errorf("got %v, want an error: %s", err, fault)
			}
			for _, text := range []string{fmt.Sprint(err), log.String()} {
				for _, want := range []string{"WithKey", "Once"} {
					if strings.Contains(text, want) != test.fails {
						t.Errorf("want %s in %q: %v", want, text, test.fails)
					}
				}
			}
		})
	}
}
