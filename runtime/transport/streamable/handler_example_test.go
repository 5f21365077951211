package streamable_test

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The handler is one of net/http. Here it takes requests from those alone who have a key.
func ExampleNewHandler() {
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	keys := map[string]string{"open-sesame": "ali"}
	h := streamable.NewHandler(s, &streamable.Options{
		Hosts: []string{"mcp.example.com"},
		Auth: streamable.Named(func(r *http.Request) (string, error) {
			key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			name, ok := keys[key]
			if !ok {
				return "", errors.New("unknown key")
			}
			return name, nil
		}),
	})
	mux := http.NewServeMux()
	mux.Handle(streamable.Endpoint, h)
	log.Fatal(http.ListenAndServeTLS(":443", "cert.pem", "key.pem", mux))
}

// shared returns the function for [streamable.Named] that takes requests with a token alone.
func shared(token string) func(*http.Request) (string, error) {
	want := sha256.Sum256([]byte("Bearer " + token))
	return func(r *http.Request) (string, error) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(got[:], want[:]) == 0 {
			return "", errors.New("the token is missing or wrong")
		}
		return "team", nil
	}
}

// A server for those who have a token from the environment.
func ExampleOptions_sharedToken() {
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	token := os.Getenv("MCP_TOKEN")
	if token == "" {
		log.Fatal("MCP_TOKEN is not set")
	}
	opts := &streamable.Options{Auth: streamable.Named(shared(token)), Hosts: []string{"mcp.example.com"}}
	log.Fatal(streamable.ListenAndServe(context.Background(), "127.0.0.1:8080", s, opts))
}

// A client without the token is refused.
func ExampleNewHandler_sharedToken() {
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	hs := httptest.NewServer(streamable.NewHandler(s, &streamable.Options{Auth: streamable.Named(shared("secret"))}))
	defer hs.Close()
	for _, token := range []string{"secret", "secrets", ""} {
		c, err := client.Connect(context.Background(), httpclient.New(hs.URL, &httpclient.Options{
			Header: http.Header{"Authorization": {"Bearer " + token}},
		}), nil)
		if err != nil {
			fmt.Println("refused")
			continue
		}
		fmt.Println("connected")
		c.Close()
	}
	// Output:
	// connected
	// refused
	// refused
}

// A server of its own, until somebody interrupts it.
func ExampleListenAndServe() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	if err := streamable.ListenAndServe(ctx, "localhost:8080", s, nil); err != nil {
		log.Fatal(err)
	}
}

// A server behind a proxy that terminates TLS, which browsers may use from a page.
func ExampleOptions() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	err := streamable.ListenAndServe(ctx, "127.0.0.1:8080", s, &streamable.Options{
		Hosts:   []string{"mcp.example.com"},             // as clients know the server
		Origins: []string{"https://console.example.com"}, // the pages that may use it
		Address: func(r *http.Request) string { // of the client, which only the proxy knows
			hops := strings.Split(r.Header.Get("X-Forwarded-For"), ",")
			return strings.TrimSpace(hops[len(hops)-1])
		},
	})
	if err != nil {
		log.Fatal(err)
	}
}

// A handler in an http.Server of its own, and the order in which the two are shut down.
func ExampleHandler_Shutdown() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	h := streamable.NewHandler(s, nil)
	mux := http.NewServeMux()
	mux.Handle(streamable.Endpoint, h)
	srv := &http.Server{Addr: "127.0.0.1:8443", Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}

	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		closed := make(chan error, 1)
		go func() { closed <- srv.Shutdown(grace) }() // takes no more connections, waits for the open ones
		err := h.Shutdown(grace)                      // lets requests finish, ends streams and sessions
		err = errors.Join(err, <-closed)
		ended <- errors.Join(err, s.Shutdown(grace)) // ends tasks, and what else serves s
	}()
	if err := srv.ListenAndServeTLS("cert.pem", "key.pem"); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	if err := <-ended; err != nil {
		log.Print(err)
	}
}

// A tool that looks at the HTTP request by which it is called.
func ExampleNewHandler_header() {
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "whoami"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		header, ok := c.Header().(http.Header)
		if !ok { // another transport, or a task
			return server.TextResult("somebody on this machine"), nil
		}
		return server.TextResult(header.Get("X-Tenant") + " at " + c.Address()), nil
	})
	h := streamable.NewHandler(s, &streamable.Options{
		Address: func(r *http.Request) string { return "192.0.2.1" },
	})

	hs := httptest.NewServer(h)
	defer hs.Close()
	ctx := context.Background()
	c, err := client.Connect(ctx, httpclient.New(hs.URL, &httpclient.Options{
		Header: http.Header{"X-Tenant": {"acme"}},
	}), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "whoami"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Content[0].(*mcp.TextContent).Text)
	// Output: acme at 192.0.2.1
}

// Middleware that counts panics of handlers.
func ExampleOptions_panics() {
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, &server.Options{
		Middleware: []server.Middleware{func(next server.Handler) server.Handler {
			return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
				result, err := next(ctx, c)
				var crash *server.PanicError
				if errors.As(err, &crash) {
					fmt.Printf("%s: %v\n%s", c.Method(), crash.Value, crash.Stack)
				}
				return result, err
			}
		}},
	})
	log.Fatal(streamable.ListenAndServe(context.Background(), "127.0.0.1:8080", s, nil))
}
