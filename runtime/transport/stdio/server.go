package stdio

import (
	"context"
	"os"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Server returns the transport of a program that its client started: it reads messages from
// standard input and writes them to standard output.
//
// From then on only messages go to standard output. What the program prints to it reaches standard error instead. On
// Unix that includes what code in other languages and child processes print; on other systems it is what is written
// through [os.Stdout], which Server replaces. Call it at the start of the program, and only once.
//
// Receive returns io.EOF when the client has closed standard input; the program should then exit. A program that
// shuts down by itself closes the transport, which closes standard output.
func Server(opts *Options) (*Transport, error) {
	stdout, err := takeStdout()
	if err != nil {
		return nil, err
	}
	return New(os.Stdin, stdout, opts), nil
}

// Serve serves the client that started this program until the client closes standard input, ctx ends, or the server
// shuts down. It calls the Serve method of the server, usually a *server.Server, with the transport that [Server]
// returns.
func Serve(ctx context.Context, s interface {
	Serve(ctx context.Context, t transport.Transport) error
}, opts *Options) error {
	t, err := Server(opts)
	if err != nil {
		return err
	}
	return s.Serve(ctx, t)
}
