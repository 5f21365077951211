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
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// loginTime is how long a person may take to log in.
const loginTime = 5 * time.Minute

// maxLogins is how often a server may want a login before it can be used.
const maxLogins = 3

// probeTime is how long an older server may ignore the first request before the next one is sent, as in
// [client.Options].
const probeTime = 5 * time.Second

// A Target says which server to talk to, and how.
type Target struct {
	URL       string          // of a server over HTTP
	Header    http.Header     // of the requests to URL
	NoLogin   bool            // nobody is asked to log in; tokens of an earlier login are used
	Login     Login           // how to log in
	Command   []string        // a program and its arguments, if there is no URL
	Revisions []wire.Revision // empty for all
	Wire      *Printer        // shows the messages, if it is not nil
	Stderr    io.Writer       // receives what the program and the client print

	Timeout   time.Duration // how long connecting may take, without the time that a person takes to log in; 0 is no limit
	End       time.Time     // when all must be done; zero if there is no such time
	Impatient bool          // the program has a second to exit, and another one after it was told to
}

// A Login says how to log in at an authorization server, beyond what servers say themselves.
type Login struct {
	Scopes   []string // requested in addition
	ClientID string   // of a client that was registered beforehand
	Audience string   // the parameter audience, in place of resource
	Redirect string   // where the authorization server sends the browser back to; empty for any port
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
	if t.Timeout > 0 {
		opts.ProbeTimeout = min(probeTime, t.Timeout/2) // there is time for the next request
	}
	s := &Server{opener: opener, asks: opts.Elicit != nil}
	err = opener.Connect(ctx, func(ctx context.Context) error {
		if t.Timeout > 0 {
			limited, stop := context.WithTimeoutCause(ctx, t.Timeout, fmt.Errorf("no connection within %v, see -timeout", t.Timeout))
			defer stop()
			ctx = limited
		}
		conn, err := opener.Open(ctx)
		if err != nil {
			return err
		}
		if t.Wire != nil {
			conn = &wireLog{conn, t.Wire}
		}
		if s.Client, err = client.Connect(ctx, conn, &opts); err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(err, opener.Close())
	}
	return s, nil
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

	asked chan (<-chan struct{}) // receives what is closed after a login that a person was asked for
}

// Opener returns an Opener for the server. Close it after its connections.
func (t *Target) Opener(logger *slog.Logger) (*Opener, error) {
	o := &Opener{target: t, logger: logger, asked: make(chan (<-chan struct{}), 1)}
	if _, authorized := t.Header["Authorization"]; t.URL == "" || authorized {
		return o, nil
	}
	dir, err := tokenFolder()
	if err == nil && t.NoLogin {
		_, err = os.Stat(dir)
	}
	if t.NoLogin && err != nil {
		return o, nil // there was no login
	}
	if err == nil {
		o.login, err = o.newLogin(dir)
	}
	return o, err
}

// tokenFolder returns the folder in which tokens are kept for the next run.
func tokenFolder() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no folder for tokens: %w", err)
	}
	return filepath.Join(dir, "mcpgen", "tokens"), nil
}

// Open opens a connection: it starts the program, or prepares to send to the URL. The context is only for opening.
func (o *Opener) Open(ctx context.Context) (transport.Transport, error) {
	t := o.target
	if t.URL == "" {
		command := &stdio.Command{Path: t.Command[0], Args: t.Command[1:]}
		command.Stderr = t.Stderr
		command.Logger = o.logger
		if t.Impatient {
			command.ExitTime, command.TermTime = time.Second, time.Second
		}
		return command.Start(ctx)
	}
	opts := &httpclient.Options{Header: t.Header, Logger: o.logger}
	if o.login != nil {
		opts.HTTP = &http.Client{Transport: o.login}
	}
	return httpclient.New(t.URL, opts), nil
}

// RoundTripper returns what sends requests to the server, with tokens if there is a login, unless a request has credentials.
func (o *Opener) RoundTripper() http.RoundTripper {
	if o.login == nil {
		return http.DefaultTransport
	}
	return unlessAuthorized{o.login}
}

// unlessAuthorized uses a login for requests that have no credentials.
type unlessAuthorized struct{ login http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t unlessAuthorized) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") != "" {
		return http.DefaultTransport.RoundTrip(r)
	}
	return t.login.RoundTrip(r)
}

// Connect calls connect, which opens a connection and prepares it for use. When it turns out that a person must log in
// first, connect is cancelled, and called again after the login: neither its timeouts nor those of the protocol are about
// people.
func (o *Opener) Connect(ctx context.Context, connect func(ctx context.Context) error) error {
	for logins := 0; ; logins++ {
		login, err := o.attempt(ctx, connect)
		if err == nil || login == nil {
			return err
		}
		if logins == maxLogins {
			return fmt.Errorf("the server wants another login after %d", logins)
		}
		select {
		case <-login:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// attempt calls connect. If a person must log in meanwhile, it cancels that, and returns what is closed after the login.
func (o *Opener) attempt(ctx context.Context, connect func(ctx context.Context) error) (login <-chan struct{}, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	select {
	case <-o.asked: // during a call over an earlier connection
	default:
	}
	done := make(chan error, 1)
	go func() { done <- connect(ctx) }()
	select {
	case login = <-o.asked:
		cancel()
		return login, <-done
	case err = <-done:
		return nil, err
	}
}

// Close ends a login that is in progress.
func (o *Opener) Close() error {
	if o.login == nil {
		return nil
	}
	return o.login.Close()
}

// newLogin returns the transport that logs in when the server demands it, and keeps tokens in a folder.
func (o *Opener) newLogin(dir string) (*authclient.Transport, error) {
	store, err := authclient.NewFileStore(dir)
	if err != nil {
		return nil, err
	}
	t := o.target
	var login *authclient.Transport
	opts := &authclient.Options{
		Grant: authclient.Stored{}, Store: store, Scopes: t.Login.Scopes, Audience: t.Login.Audience, LoginTime: loginTime, Logger: o.logger,
	}
	if !t.NoLogin {
		opts.Grant = &authclient.AuthorizationCode{ClientName: "mcpgen", RedirectURI: t.Login.Redirect, Open: func(ctx context.Context, page string) error {
			select {
			case o.asked <- ctx.Done():
			default: // nobody is connecting
			}
			left := loginTime
			if !t.End.IsZero() {
				left = min(left, time.Until(t.End))
			}
			fmt.Fprint(t.Stderr, invitation(t.URL, login.Issuer(), page, left))
			return authclient.OpenBrowser(ctx, page)
		}}
	}
	if t.Login.ClientID != "" {
		// Whoever has registered a client for this command knows the authorization server.
		opts.Clients = []authclient.Credentials{{ID: t.Login.ClientID, AssumePKCE: true}}
	}
	login, err = authclient.New(t.URL, opts)
	return login, err
}

// invitation asks a person to log in within the time that is left. The names of the server and of its authorization server come
// first, so that nobody logs in for somebody else: a server chooses its authorization server, and that chooses the page.
func invitation(server, issuer, page string, left time.Duration) string {
	at, err := url.Parse(page)
	by, err2 := url.Parse(issuer)
	if err != nil || err2 != nil {
		return "" // the page will not be opened either
	}
	scopes := ""
	if list := strings.Fields(at.Query().Get("scope")); len(list) > 0 {
		scopes = fmt.Sprintf(" with the scopes %q", list)
	}
	within := fmt.Sprintf("%.0f minutes", loginTime.Minutes())
	if left < loginTime {
		within = left.Round(time.Second).String()
	}
	// String escapes what a host may not contain; [2:] leaves out the slashes before it.
	return fmt.Sprintf("%s wants a login%s.\nIts authorization server is %s, the page is at %s.\nIf no browser shows it, open it within %s:\n%s\n",
		server, scopes, by, (&url.URL{Host: at.Host}).String()[2:], within, at)
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
