// Package mcptest tests servers: it connects a client to a server within the test's process.
//
//	func TestGreet(t *testing.T) {
//		c := mcptest.Connect(t, newServer(), nil)
//		if got := c.CallText("greet", map[string]any{"name": "Ada"}); got != "Hello, Ada!" {
//			t.Errorf("got %q", got)
//		}
//	}
//
// A [Client] has all calls of a [client.Client], and a transcript of the messages that can be kept
// in a file and compared; see [Client.CompareTranscript]. [EachRevision] runs a test in every
// revision of the protocol.
//
// In a bubble of package testing/synctest, with a server that was made there, time is fake: waiting for an hour
// costs nothing, and time limits can be tested exactly. A server needs no special clock for that:
//
//	synctest.Test(t, func(t *testing.T) {
//		c := mcptest.Connect(t, newServer(), nil)
//		begin := time.Now()
//		c.CallText("remind", map[string]any{"after": "30m"})
//		if took := time.Since(begin); took != 30*time.Minute {
//			t.Errorf("it took %v", took)
//		}
//	})
package mcptest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configures a [Client]. The zero value means the defaults.
type Options struct {
	// Revision is the only revision that the client speaks. The default is Client.Revisions, or else the newest
	// revision that the server speaks.
	Revision wire.Revision

	// Identity is the sender of all requests on the connection, as if the transport had verified it. [As] makes
	// one. By default the sender is unknown and may do everything.
	Identity transport.Identity

	// Client holds the options of the client, such as its handlers. Without a logger, it logs to the test; without
	// a name, it is called mcptest.
	Client client.Options

	// Mask names members of messages that differ from one run to the next. In transcripts a string in their place
	// is "...". Members that the server makes from random bytes, requestState and elicitationId, are always masked.
	Mask []string

	// AllowGoroutines is for servers whose goroutines outlive the connection on purpose. Otherwise the
	// test fails if any is left, other than those of idle connections of net/http.
	AllowGoroutines bool
}

// A Client is connected to the server under test.
type Client struct {
	*client.Client
	t        testing.TB
	recorder *recorder
}

// closeTime is how long a server may take to end after its client has closed the connection. It is longer than the
// server takes if a handler does not return.
const closeTime = 10 * time.Second

// Connect connects a client to a server. The test fails at once if that is not possible. At the end of the test
// Connect closes the connection, and the test fails if a request has neither got a response nor been cancelled, if
// the server did not end gracefully, or if it has left goroutines.
//
// The server can have several clients, one after another or at once.
func Connect(t testing.TB, s *server.Server, opts *Options) *Client {
	t.Helper()
	o := option.Of(opts)
	if o.Revision != wire.Any {
		o.Client.Revisions = []wire.Revision{o.Revision}
	}
	if o.Client.Info.Name == "" {
		o.Client.Info = mcp.Implementation{Name: "mcptest", Version: "1"}
	}
	if o.Client.Logger == nil {
		o.Client.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}

	near, end := inmem.Pair(0)
	far := transport.Transport(end)
	if id := o.Identity; id != nil {
		far = identified{far, &transport.Origin{Identity: id, Principal: id.Principal()}}
	}
	c := &Client{t: t, recorder: newRecorder(near, o.Mask)}
	family := family(t.Name() + " " + rand.Text()) // the goroutines of a client that is gone may be left
	// The context of the test ends before its cleanup, in which calls must still get their responses.
	ctx := context.WithoutCancel(t.Context())
	served := make(chan error, 1)
	var err error
	family.do(ctx, func(ctx context.Context) {
		go func() { served <- s.Serve(ctx, far) }()
		c.Client, err = client.Connect(ctx, c.recorder, &o.Client)
	})
	t.Cleanup(func() {
		t.Helper()
		if c.Client != nil {
			c.recorder.checkAnswered(t)
			c.Close()
		}
		select {
		case err := <-served:
			if err != nil {
				t.Errorf("mcptest: the server ended with the error: %v", err)
			}
		case <-time.After(closeTime):
			t.Errorf("mcptest: the server did not end within %v after its client", closeTime)
		}
		if !o.AllowGoroutines {
			family.checkGone(t)
		}
	})
	if err != nil {
		t.Fatalf("mcptest: %v", err)
	}
	return c
}

// CallText calls a tool and returns the text of its result. The arguments are a value that is encoded as a JSON
// object, or nil for none. The test fails at once if the call fails or the result says that the tool did; for a
// test of that, call [client.Client].CallTool.
func (c *Client) CallText(tool string, args any) string {
	c.t.Helper()
	var raw wire.Raw
	if args != nil {
		var err error
		if raw, err = json.Marshal(args); err != nil {
			c.t.Fatalf("mcptest: arguments of tool %q: %v", tool, err)
		}
	}
	r, err := c.CallTool(c.t.Context(), &mcp.CallToolRequestParams{Name: tool, Arguments: raw})
	if err != nil {
		c.t.Fatalf("mcptest: tool %q: %v", tool, err)
	}
	if r.GetIsError() {
		c.t.Fatalf("mcptest: tool %q failed: %s", tool, Text(r))
	}
	return Text(r)
}

// Text returns the text in the content of a result: the blocks of text, and the contents of
// embedded resources that are text, with a line break between two of them.
func Text(r *mcp.CallToolResult) string { return client.Text(r.Content) }

// EachRevision runs a test once for each revision of the protocol, the oldest first, with the
// revision's name.
//
//	mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
//		c := mcptest.Connect(t, newServer(), &mcptest.Options{Revision: revision})
//		// what is to be shown in every revision
//	})
func EachRevision(t *testing.T, test func(t *testing.T, revision wire.Revision)) {
	t.Helper()
	for _, revision := range taught.Revisions() {
		t.Run(fmt.Sprint(revision), func(t *testing.T) { test(t, revision) })
	}
}
