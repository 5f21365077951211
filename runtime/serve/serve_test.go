package serve

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// addresses is a log that sends the addresses that it reads of.
type addresses chan string

func (addresses) Enabled(context.Context, slog.Level) bool { return true }
func (a addresses) WithAttrs([]slog.Attr) slog.Handler     { return a }
func (a addresses) WithGroup(string) slog.Handler          { return a }

func (a addresses) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "address" {
			a <- attr.Value.String()
		}
		return true
	})
	return nil
}

func flagSet() *flag.FlagSet {
	flags := flag.NewFlagSet("shop", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

func TestHTTP(t *testing.T) {
	log := make(addresses, 1)
	before := slog.Default()
	slog.SetDefault(slog.New(log))
	t.Cleanup(func() { slog.SetDefault(before) })

	flags := flagSet()
	shelf := flags.String("shelf", "", "")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, flags, []string{"-shelf", "left", "-http", "127.0.0.1:0", "-host", "shop.example"}, func() (*server.Server, error) {
			return server.New(mcp.Implementation{Name: *shelf, Version: "1.0.0"}, nil), nil
		}, func(o *streamable.Options) error {
			o.Hosts = append(o.Hosts, *shelf+".example")
			return nil
		})
	}()
	var addr string
	select {
	case addr = <-log:
	case err := <-done:
		t.Fatal(err)
	}

	c, err := client.Connect(ctx, httpclient.New("http://"+addr+streamable.Endpoint, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Server().Info.Name; got != "left" {
		t.Errorf("the name is %q, want that of the flag", got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for host, want := range map[string]int{"shop.example": http.StatusMethodNotAllowed, "left.example": http.StatusMethodNotAllowed, "other.example": http.StatusForbidden} {
		r, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://"+addr+streamable.Endpoint, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("host %s: status %d, want %d", host, response.StatusCode, want)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("the end: %v", err)
	}
}

// TestMain makes a server of the test's program.
func TestMain(m *testing.M) {
	if os.Getenv("SERVE_MAIN") == "" {
		testenv.RefuseChild()
		os.Exit(m.Run())
	}
	Main(func() (*server.Server, error) {
		return server.New(mcp.Implementation{Name: "shop", Version: "1.0.0"}, nil), nil
	})
}

// A program serves the client that started it, and exits with status 1 if something is wrong.
func TestStdio(t *testing.T) {
	t.Setenv("SERVE_MAIN", "1")
	process, err := (&stdio.Command{Path: os.Args[0]}).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Connect(t.Context(), process, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Server().Info.Name; got != "shop" {
		t.Errorf("got %s", got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	out, err := exec.CommandContext(t.Context(), os.Args[0], "-host", "shop.example").CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 || !strings.Contains(string(out), "want -http HOST:PORT") {
		t.Errorf("got %v and %s", err, out)
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("no shop")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-http", "nowhere"}, "address nowhere: missing port in address"},
		{[]string{"-host", "shop.example"}, "the flag -host is only for HTTP: want -http HOST:PORT with it"},
		{[]string{"-wrong"}, "flag provided but not defined: -wrong"},
		{[]string{"-http", "127.0.0.1:0"}, "no key"},
		{nil, "no shop"},
	} {
		err := run(t.Context(), flagSet(), tt.args, func() (*server.Server, error) {
			if tt.args == nil {
				return nil, broken
			}
			return server.New(mcp.Implementation{Name: "shop", Version: "1.0.0"}, nil), nil
		}, func(*streamable.Options) error {
			if tt.want == "no key" {
				return errors.New("no key")
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %s", tt.args, err, tt.want)
		}
	}
}
