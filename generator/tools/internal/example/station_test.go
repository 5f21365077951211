package example

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A caller has the scopes that its token names.
type caller string

func (c caller) Principal() string  { return string(c) }
func (c caller) Expires() time.Time { return time.Time{} }
func (c caller) Missing(scopes []string) []string {
	granted := strings.Fields(string(c))
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return slices.Contains(granted, s) })
}

// A guard takes the scopes that a request names for a token, and notes what it refuses.
type guard struct {
	mu      sync.Mutex
	refused []string
}

func (g *guard) Authorize(r *http.Request) (transport.Identity, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return nil, errors.New("no token")
	}
	return caller(token), nil
}

func (g *guard) Refuse(w http.ResponseWriter, _ *http.Request, err error, body []byte) {
	status, refused := http.StatusUnauthorized, err.Error()
	if lacks, ok := errors.AsType[*transport.ScopeError](err); ok {
		status, refused = http.StatusForbidden, strings.Join(lacks.Scopes, " ")
	}
	g.mu.Lock()
	g.refused = append(g.refused, refused)
	g.mu.Unlock()
	w.WriteHeader(status)
	w.Write(body)
}

// take returns what was refused since the last call.
func (g *guard) take() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	refused := g.refused
	g.refused = nil
	return refused
}

// TestScopes calls a generated server over HTTP, in every revision that has it, with tokens of several scopes.
//
// REQ STATE-14, AUTH26-09
func TestScopes(t *testing.T) {
	g := new(guard)
	s := server.New(mcp.Implementation{Name: "example"}, nil)
	if err := RegisterStation(s, &Station{Celsius: map[string]float64{"Oslo": 4}}); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(streamable.NewHandler(s, &streamable.Options{Auth: g}))
	t.Cleanup(h.Close)
	for _, revision := range server.Revisions() {
		if revision < mcp.V2025_03_26 {
			continue // has no Streamable HTTP
		}
		for _, test := range []struct{ scopes, calibrate, compare, units, oslo, rome, complete string }{
			{
				scopes: "other", calibrate: "stations:write stations:calibrate", compare: "stations:read", units: "stations:read",
				oslo: "stations:read station:Oslo", rome: "stations:read station:Rome", complete: "stations:read",
			},
			{
				scopes: "stations:read station:Oslo stations:write", calibrate: "stations:write stations:calibrate",
				rome: "stations:read station:Rome",
			},
			{scopes: "stations:read stations:write stations:calibrate station:Rome", oslo: "stations:read station:Oslo"},
		} {
			t.Run(revision.String()+" "+test.scopes, func(t *testing.T) {
				ctx := t.Context()
				c := connect(t, h.URL, revision, test.scopes)
				expect := func(what, want string, err error) {
					t.Helper()
					if refused := strings.Join(g.take(), "; "); refused != want || (err != nil) != (want != "") {
						t.Errorf("%s: refused for lack of %q, want %q; the client gets %v", what, refused, want, err)
					}
				}
				list, err := c.ListTools(ctx, nil)
				expect("list", "", err)
				var names []string
				for _, tool := range list.Tools {
					names = append(names, tool.Name)
				}
				if got := strings.Join(names, " "); got != "calibrate" { // also for those who may not use it yet
					t.Errorf("the tools are %q, want calibrate", got)
				}
				_, err = c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "calibrate", Arguments: wire.Raw(`{"celsius":0}`)})
				expect("calibrate", test.calibrate, err)
				_, err = c.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: "compare", Arguments: map[string]string{"one": "Oslo", "other": "Rome"}})
				expect("compare", test.compare, err)
				_, err = c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "station://units"})
				expect("units", test.units, err)
				_, err = c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "station://Oslo/now"})
				expect("Oslo", test.oslo, err)
				_, err = c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "station://Rome/now"})
				expect("Rome", test.rome, err)
				_, err = c.Complete(ctx, &mcp.CompleteRequestParams{
					Ref: &mcp.ResourceTemplateReference{URI: "station://{city}/now"}, Argument: mcp.CompleteRequestParamsArgument{Name: "city", Value: "O"},
				})
				expect("complete", test.complete, err)
			})
		}
	}
}

func connect(t *testing.T, url string, revision wire.Revision, token string) *client.Client {
	t.Helper()
	tr := httpclient.New(url, &httpclient.Options{Header: http.Header{"Authorization": {"Bearer " + token}}})
	c, err := client.Connect(context.WithoutCancel(t.Context()), tr, &client.Options{Revisions: []wire.Revision{revision}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
