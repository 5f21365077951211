package streamable_test

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// The handler is one of net/http. Here it takes requests from those alone who have a key.
func ExampleNewHandler() {
	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	keys := map[string]string{"open-sesame": "ali"}
	h := streamable.NewHandler(s, &streamable.Options{
		Hosts: []string{"mcp.example.com"},
		Principal: func(r *http.Request) (string, error) {
			key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			name, ok := keys[key]
			if !ok {
				return "", errors.New("unknown key")
			}
			return name, nil
		},
	})
	mux := http.NewServeMux()
	mux.Handle(streamable.Endpoint, h)
	log.Fatal(http.ListenAndServeTLS(":443", "cert.pem", "key.pem", mux))
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
