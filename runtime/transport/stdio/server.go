package stdio

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Server returns the transport of a program that its client started: it reads messages from
// standard input and writes them to standard output.
//
// From then on only messages go to standard output. What the program prints to it reaches standard error instead,
// and the first time this is logged. On Unix that includes what code in other languages and child processes print;
// on other systems it is what is written through [os.Stdout], which Server replaces. Call it at the start of the
// program, and only once.
//
// Receive returns io.EOF when the client has closed standard input; the program should then exit. A program that
// shuts down by itself closes the transport, which closes standard output.
func Server(opts *Options) (*Transport, error) {
	o := opts.complete()
	stdout, stray, err := takeStdout()
	if err != nil {
		return nil, err
	}
	t := New(os.Stdin, stdout, &o)
	done := make(chan struct{})
	go func() {
		defer close(done)
		toStderr(os.Stderr, stray.output, o.Logger)
	}()
	t.release = func() {
		stray.release()
		closeStray(stray.output, done)
	}
	return t, nil
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

const (
	// strayTime is how long closing waits for more to be printed, and strayMost how long it waits for standard
	// error to accept it.
	strayTime = 50 * time.Millisecond
	strayMost = time.Second
)

// closeStray closes the pipe of printed text once the text has been passed on, when done is closed. It does not
// wait for ever for a reader of standard error nor, where reads have no deadlines, for child processes that hold
// the pipe open.
func closeStray(output *os.File, done <-chan struct{}) {
	output.SetReadDeadline(time.Now().Add(strayTime))
	if after(done, strayMost) {
		output.Close()
	} else {
		go output.Close()
	}
}

// stray handles what is printed to standard output, which is for messages only.
type stray struct {
	output  *os.File
	release func() // sends what is printed from now on to standard error directly
}

// REQ STDIO-04
func toStderr(stderr io.Writer, output *os.File, log *slog.Logger) {
	buf := make([]byte, 4<<10)
	for said := false; ; said = true {
		n, err := output.Read(buf)
		if n > 0 {
			if !said {
				log.Warn("stdio: the program prints to standard output, which belongs to messages alone; it goes to standard error",
					"begins", string(buf[:min(n, 200)]))
			}
			stderr.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}
