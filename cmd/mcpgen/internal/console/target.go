// Package console lets a person use a server from a terminal: it connects, makes arguments from words, shows
// results, and passes the server's requests for input to the person.
package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// loginTime is how long a person may take to log in.
const loginTime = 5 * time.Minute

// A Target says which server to talk to, and how.
type Target struct {
	URL       string          // of a server over HTTP
	Header    http.Header     // of the requests to URL
	NoLogin   bool            // a server that wants a login is an error
	Command   []string        // a program and its arguments, if there is no URL
	Revisions []wire.Revision // empty for all
	Wire      *Printer        // shows the messages, if it is not nil
	Stderr    io.Writer       // receives what the program and the client print
}

// A Server is a connection to a server.
type Server struct {
	*client.Client
	opener *Opener
	asks   bool // there is somebody to ask
}

// Close ends the connection.
func (s *Server) Close() error {
	return cmp.Or(s.Client.Close(), s.opener.Close())
}

// Connect connects to the server. It fills in what Target knows of the options.
func (t *Target) Connect(ctx context.Context, opts client.Options) (*Server, error) {
	opts.Revisions = t.Revisions
	opts.Logger = slog.New(slog.NewTextHandler(t.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	opener, err := t.Opener(opts.Logger)
	if err != nil {
		return nil, err
	}
	opts.ProbeTimeout = opener.ProbeTimeout()
	conn, err := opener.Open(ctx)
	if err != nil {
		return nil, errors.Join(err, opener.Close())
	}
	if t.Wire != nil {
		conn = &wireLog{conn, t.Wire}
	}
	c, err := client.Connect(ctx, conn, &opts)
	if err != nil {
		return nil, errors.Join(err, opener.Close())
	}
	return &Server{Client: c, opener: opener, asks: opts.Elicit != nil}, nil
}

// OfferAll declares every capability that a tool, a prompt or a resource may need of a client, so that a server
// lists everything, whether or not there is a person. It is for clients that call nothing. A server that asks such
// a client nevertheless receives an empty list of roots, and errors for the rest.
func OfferAll(opts *client.Options) {
	opts.Roots = []mcp.Root{}
	opts.Capabilities.Sampling = &mcp.ClientCapabilitiesSampling{}
	opts.Capabilities.Elicitation = &mcp.ClientCapabilitiesElicitation{Form: mcp.JSONObject{}, URL: mcp.JSONObject{}}
}

// An Opener opens connections to a server, one after another, that share a login.
type Opener struct {
	target *Target
	logger *slog.Logger
	login  *authclient.Transport // nil if there is none
}

// Opener returns an Opener for the server. Close it after its connections.
func (t *Target) Opener(logger *slog.Logger) (*Opener, error) {
	o := &Opener{target: t, logger: logger}
	if _, authorized := t.Header["Authorization"]; t.URL == "" || authorized || t.NoLogin {
		return o, nil
	}
	var err error
	o.login, err = t.newLogin(logger)
	return o, err
}

// Open opens a connection: it starts the program, or prepares to send to the URL. The context is only for opening.
func (o *Opener) Open(ctx context.Context) (transport.Transport, error) {
	t := o.target
	if t.URL == "" {
		command := &stdio.Command{Path: t.Command[0], Args: t.Command[1:]}
		command.Stderr = func(line string) { fmt.Fprintln(t.Stderr, line) }
		command.Logger = o.logger
		return command.Start(ctx)
	}
	opts := &streamable.ClientOptions{Header: t.Header, Logger: o.logger}
	if o.login != nil {
		opts.HTTP = &http.Client{Transport: o.login}
	}
	return streamable.NewClient(t.URL, opts), nil
}

// ProbeTimeout returns the ProbeTimeout for clients: the first request may include a login.
func (o *Opener) ProbeTimeout() time.Duration {
	if o.login != nil {
		return loginTime
	}
	return 0
}

// Close ends a login that is in progress.
func (o *Opener) Close() error {
	if o.login == nil {
		return nil
	}
	return o.login.Close()
}

// newLogin returns the transport that logs in when the server demands it. Tokens are kept for the next run.
func (t *Target) newLogin(logger *slog.Logger) (*authclient.Transport, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("no folder for tokens: %w", err)
	}
	store, err := authclient.NewFileStore(filepath.Join(dir, "mcpgen", "tokens"))
	if err != nil {
		return nil, err
	}
	grant := &authclient.AuthorizationCode{ClientName: "mcpgen", Open: func(ctx context.Context, url string) error {
		fmt.Fprintf(t.Stderr, "The server wants a login. If no browser shows this page, open it within %.0f minutes:\n%s\n", loginTime.Minutes(), url)
		return authclient.OpenBrowser(ctx, url)
	}}
	return authclient.New(t.URL, &authclient.Options{Grant: grant, Store: store, LoginTime: loginTime, Logger: logger}), nil
}

// wireLog shows what a transport carries.
type wireLog struct {
	transport.Transport
	out io.Writer
}

// Send implements transport.Sender.
func (l *wireLog) Send(ctx context.Context, m transport.Message) error {
	fmt.Fprintf(l.out, "→ %s\n", m.Data)
	return l.Transport.Send(ctx, m)
}

// Receive implements transport.Receiver.
func (l *wireLog) Receive(ctx context.Context) (transport.Message, error) {
	m, err := l.Transport.Receive(ctx)
	if err == nil {
		fmt.Fprintf(l.out, "← %s\n", m.Data)
	}
	return m, err
}

// PerRequest implements transport.PerRequest.
func (l *wireLog) PerRequest() bool {
	e, ok := l.Transport.(transport.PerRequest)
	return ok && e.PerRequest()
}
