// Conformance is the authorization server that the conformance suite tries: package as, with a user who is always logged
// in. It prints the issuer, and serves until it is interrupted.
//
//	go run -C runtime/auth/as ./internal/conformance -addr 127.0.0.1:8081
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

func main() {
	log.SetFlags(0)
	addr := flag.String("addr", "127.0.0.1:8081", "the `address` to listen on, of this machine")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr); err != nil {
		log.Fatal(err)
	}
}

// run prints the issuer, and serves until the context ends.
func run(ctx context.Context, addr string) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	issuer := "http://" + listener.Addr().String()
	handler, err := newServer(issuer)
	if err != nil {
		return err
	}
	fmt.Println(issuer)
	s := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		s.Close()
	}()
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func newServer(issuer string) (http.Handler, error) {
	return as.New(&as.Options{
		Issuer:        issuer,
		Resources:     []string{issuer + "/mcp"},
		Scopes:        []as.Scope{{Name: "mcp", Description: "Use everything"}},
		DefaultScopes: []string{"mcp"},
		Logger:        slog.New(slog.DiscardHandler),
		Login:         func(http.ResponseWriter, *http.Request) *as.User { return &as.User{Subject: "suite"} },
		Clients:       []as.Client{{ID: "suite", RedirectURIs: []string{"http://127.0.0.1/callback"}}}, // at any port
	})
}
