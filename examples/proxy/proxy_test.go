package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The test binary is the proxy with this variable in its environment, and with one of these
// arguments the server behind it.
const (
	beProxy = "MCPGEN_TEST_PROXY"
	serving = "serve"
	failing = "fail"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == serving:
		serve()
	case len(os.Args) > 1 && os.Args[1] == failing:
		fmt.Fprintln(os.Stderr, "server: out of order")
		os.Exit(3)
	case os.Getenv(beProxy) != "":
		main()
	default:
		testenv.RefuseChild()
		os.Exit(m.Run())
	}
}

// serve is a server with a tool that asks the user for a name, one that takes its time, and a method
// that the proxy does not know.
func serve() {
	s := server.New(mcp.Implementation{Name: "behind", Version: "1"}, &server.Options{Instructions: "Behind a proxy."})
	ask := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		r, err := c.WithKey("name").Elicit(ctx, &mcp.ElicitRequestFormParams{
			Message: "Who are you?",
			RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{
				Properties: wire.Members[mcp.PrimitiveSchemaDefinition]{{Name: "name", Value: &mcp.StringSchema{}}},
			},
		})
		if err != nil {
			return nil, err
		}
		return server.TextResult("Hello, " + string(r.Content["name"]) + "!"), nil
	}
	slow := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 2, "half")
		time.Sleep(100 * time.Millisecond)
		return server.TextResult("at last"), nil
	}
	echo := func(_ context.Context, c *server.Call) (wire.Encodable, error) { return c.Params(), nil }
	for _, err := range []error{
		s.AddTool(mcp.Tool{Name: "ask"}, ask),
		s.AddTool(mcp.Tool{Name: "slow"}, slow),
		s.AddMethod("example/echo", echo),
	} {
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := stdio.Serve(context.Background(), s, nil); err != nil {
		log.Fatal(err)
	}
}

// proxied returns the environment and the arguments of a proxy before a server.
func proxied(kind string) (env, args []string) {
	return append(os.Environ(), beProxy+"=1", "GORACE=atexit_sleep_ms=0"), []string{os.Args[0], kind}
}

// A complaint fails a test with what is written to it.
type complaint struct{ *testing.T }

func (c complaint) Write(line []byte) (int, error) {
	c.Errorf("the proxy says: %s", line)
	return len(line), nil
}

// TestProxy has a client and a server speak every revision with the proxy between them.
func TestProxy(t *testing.T) {
	for _, revision := range client.Revisions() {
		t.Run(revision.String(), func(t *testing.T) {
			t.Parallel()
			env, args := proxied(serving)
			process, err := (&stdio.Command{
				Path: os.Args[0], Args: args, Env: env,
				Stderr: complaint{t},
			}).Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			c, err := client.Connect(t.Context(), process, &client.Options{
				Revisions: []wire.Revision{revision},
				Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
					return elicit.Accept(map[string]string{"name": "Ada"})
				}},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if c.Revision() != revision || c.Server().Instructions != "Behind a proxy." {
				t.Errorf("connected to %+v with %s", c.Server(), c.Revision())
			}

			tool := "ask"
			want := `Hello, "Ada"!`
			if revision < mcp.V2025_06_18 { // there is no elicitation
				tool, want = "slow", "at last"
			}
			r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Content[0].(*mcp.TextContent).Text; got != want {
				t.Errorf("tool %s says %s, want %s", tool, got, want)
			}

			var echoed wire.Raw
			err = c.Call(t.Context(), &wire.Method{Name: "example/echo"}, wire.Raw(`{"n":1e400}`), &echoed)
			if err != nil || !strings.Contains(string(echoed), `"n":1e400`) {
				t.Errorf("echo %s, %v", echoed, err)
			}
		})
	}
}

// runProxy runs a proxy on an input and returns what it writes and how it ends.
func runProxy(t *testing.T, kind, input string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	env, args := proxied(kind)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = env
	cmd.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// TestLastAnswer ends the input while a call is at work: its answer still comes.
func TestLastAnswer(t *testing.T) {
	stdout, stderr, err := runProxy(t, serving,
		`{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"slow",`+modernMeta+`}}`+"\n")
	if err != nil || stderr != "" {
		t.Errorf("the proxy ended with %v and said %s", err, stderr)
	}
	m, err := jsonrpc.Parse([]byte(strings.TrimSpace(stdout)))
	if err != nil || m.Kind != jsonrpc.Response || m.ID != wire.StringID("last") || !strings.Contains(stdout, "at last") {
		t.Errorf("output %q, %v", stdout, err)
	}
}

// TestServerFails starts a server that ends at once.
func TestServerFails(t *testing.T) {
	stdout, stderr, err := runProxy(t, failing, "")
	if err == nil || stdout != "" {
		t.Errorf("the proxy ended with %v and wrote %q", err, stdout)
	}
	if !strings.Contains(stderr, "server: out of order\n") || !strings.Contains(stderr, "proxy: ") || !strings.Contains(stderr, "exit status 3") {
		t.Errorf("the proxy said %q", stderr)
	}
}

// A deaf client has ended its input and does not read what it is sent.
type deaf struct{ *inmem.End }

func (deaf) Receive(context.Context) (transport.Message, error) { return transport.Message{}, io.EOF }

func (deaf) Send(ctx context.Context, _ transport.Message) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestDeafClient: the proxy and the server end all the same.
func TestDeafClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := inmem.Pair(0)
		unused, _ := inmem.Pair(0)
		go func() {
			far.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"notifications/example"}`)})
			for {
				if _, err := far.Receive(t.Context()); err != nil {
					return
				}
			}
		}()
		begin := time.Now()
		if err := pass(t.Context(), deaf{unused}, near, slog.New(slog.DiscardHandler)); err != nil {
			t.Errorf("the proxy ended with %v", err)
		}
		if took := time.Since(begin); took > 2*answerTime {
			t.Errorf("the proxy took %v", took)
		}
	})
}

// A litany is a client that sends too long a message before its request.
type litany struct {
	*inmem.End
	said bool
}

func (l *litany) Receive(ctx context.Context) (transport.Message, error) {
	if !l.said {
		l.said = true
		return transport.Message{}, &transport.MessageError{Limit: 10, Head: []byte("{")}
	}
	return l.End.Receive(ctx)
}

// TestLongMessage: the connection outlives a message that cannot be received, and ends with the
// server.
func TestLongMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		theirs, client := inmem.Pair(0)
		server, behind := inmem.Pair(0)
		var said bytes.Buffer
		ended := make(chan error)
		go func() {
			ended <- pass(t.Context(), &litany{End: client}, server, slog.New(slog.NewTextHandler(&said, nil)))
		}()
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		if err := theirs.Send(t.Context(), transport.Message{Data: []byte(ping)}); err != nil {
			t.Fatal(err)
		}
		if m, err := behind.Receive(t.Context()); err != nil || string(m.Data) != ping {
			t.Errorf("the server got %s, %v", m.Data, err)
		}
		behind.Close()
		if err := <-ended; err != nil {
			t.Errorf("the proxy ended with %v", err)
		}
		if _, err := theirs.Receive(t.Context()); err != io.EOF {
			t.Errorf("the client got %v, want EOF", err)
		}
		if !strings.Contains(said.String(), "a message was left out") {
			t.Errorf("the proxy said %q", said.String())
		}
	})
}

// TestTranslate passes on a conversation, message by message. An empty want is the message itself.
func TestTranslate(t *testing.T) {
	var said bytes.Buffer
	tr := newTranslator(slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug})))
	for _, step := range []struct {
		from      wire.Side
		what      string
		data      string
		rewritten string // empty if not a byte changes
	}{
		{wire.Client, "a request",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"b":1.0,"a":1e400}}}`, ``},
		{wire.Server, "its answer",
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"hi"}],"structuredContent":[1.50]}}`, ``},
		{wire.Client, "unknown members, which go behind the known ones, in their order",
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"future":[1.0, {"z":1,"a":2}],"also":null,"name":"t"}}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","future":[1.0, {"z":1,"a":2}],"also":null}}`},
		{wire.Server, "an unknown arm",
			`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"hologram","depth":1.0}]}}`, ``},
		{wire.Client, "an unknown member of the envelope",
			`{"jsonrpc":"2.0","trace":"x","id":3,"method":"tools/call","params":{"arguments":{},"name":"t"},"more":1}`,
			`{"jsonrpc":"2.0","trace":"x","id":3,"method":"tools/call","params":{"name":"t","arguments":{}},"more":1}`},
		{wire.Server, "an unknown kind of result",
			`{"jsonrpc":"2.0","id":3,"result":{"resultType":"hologram","depth":1.0}}`, ``},
		{wire.Client, "an unknown request",
			`{"jsonrpc":"2.0","id":4, "method":"example/echo","params":{"x":1.0}}`, ``},
		{wire.Server, "its answer",
			`{"jsonrpc":"2.0","id":4, "result":{"x":1.0}}`, ``},
		{wire.Client, "a request that the server never answers",
			`{"jsonrpc":"2.0","id":5,"method":"ping"}`, ``},
		{wire.Client, "its cancellation",
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`, ``},
		{wire.Server, "the answer all the same",
			`{"jsonrpc":"2.0","id":5, "result":{}}`, ``},
		{wire.Server, "a request of the server, with an id that the client used",
			`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, ``},
		{wire.Client, "its answer",
			`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"name":"n","uri":"file:///a"}]}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///a","name":"n"}]}}`},
		{wire.Client, "a request of a removed feature",
			`{"jsonrpc":"2.0","id":"s","method":"logging/setLevel","params":{"level":"shout"}}`, ``},
		{wire.Server, "an error",
			`{"jsonrpc":"2.0","id":"s","error":{"code":-32602,"message":"no","data":{"future":1.0}}}`, ``},
		{wire.Client, "what does not fit the protocol",
			`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":7}}`, ``},
		{wire.Server, "an answer to nothing",
			`{"jsonrpc":"2.0","id":99,"result":{"tools":1}}`, ``},
		{wire.Server, "an unknown notification",
			`{"jsonrpc":"2.0","method":"notifications/example","params":{"x":[ ]}}`, ``},
		{wire.Client, "a batch", `[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, ``},
		{wire.Client, "nonsense", `{"jsonrpc":"2.0",`, ``},
	} {
		want := step.rewritten
		if want == "" {
			want = step.data
		}
		m := tr.translate(step.from, []byte(step.data))
		if got := string(m.Data); got != want {
			t.Errorf("%s:\n got %s\nwant %s", step.what, got, want)
		}
	}
	if len(tr.open) != 1 || tr.open[request{wire.Client, wire.IntID(6)}] != "tools/call" {
		t.Errorf("open requests %v, want the one that does not fit", tr.open)
	}
	for _, line := range []string{
		`level=DEBUG msg=tools/call from=client has=params tool=t`,
		`level=DEBUG msg=tools/call from=server has=result`,
		`level=DEBUG msg=example/echo from=client`,
		`level=WARN msg="this does not fit the protocol" from=client method=tools/call error="CallToolRequestParams: name: want string, got number`,
	} {
		if !strings.Contains(said.String(), line) {
			t.Errorf("the log lacks %s:\n%s", line, &said)
		}
	}
}

func TestUsage(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), beProxy+"=1")
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.HasPrefix(string(out), "usage: proxy [-v] COMMAND") {
		t.Errorf("exit status %d, output %q", code, out)
	}
}
