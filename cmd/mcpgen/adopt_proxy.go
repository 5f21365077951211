package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	adoption "github.com/mcpgen/mcpgen/generator/adopt"
	"github.com/mcpgen/mcpgen/mcp"
)

// overStdio is the value of -proxy for a client that starts the proxy as its server.
const overStdio = "stdio"

// The limits of the proxy. Longer messages pass, and are not looked at; of older sessions the calls are not recorded any more.
const (
	maxWatched  = 16 << 20 // bytes of a message
	maxSessions = 1000
	maxErrLine  = 8 << 10 // bytes of standard error that are printed at once
)

// The times of the proxy.
const (
	saveEvery = time.Second // at most
	lockTime  = 10 * time.Second
	lockPause = 10 * time.Millisecond
	endTime   = time.Second     // for requests, when the proxy ends
	exitTime  = 3 * time.Second // for a server that was told to terminate, and for a client to read the last that it wrote
)

// proxied stands between clients and a server, and adds the calls that it sees to a recording.
func (a *adoptFlags) proxied(c *cobra.Command, args []string) error {
	target, words, err := a.target(c, args)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return usageError(c, "%q: a command comes after two dashes", words[0])
	}
	out := printerTo(c.OutOrStdout())
	switch over := a.proxy == overStdio; {
	case over && target.URL != "":
		return usageError(c, "flag -proxy stdio is for a command; before a URL it is an address, such as localhost:8092")
	case !over && target.URL == "":
		return usageError(c, "flag -proxy cannot be %q before a command: it is stdio, and a client starts it", a.proxy)
	case over && out.Terminal:
		return usageError(c, "flag -proxy stdio: want a client that starts it, got a terminal")
	case !over:
		if err := checkLoopback(a.proxy); err != nil {
			return usageError(c, "flag -proxy cannot be %q: %v", a.proxy, err)
		}
	}
	rec, err := readRecording(a.record)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: there is no recording yet, which is made first without -proxy", filepath.ToSlash(a.record))
	}
	if err != nil {
		return err
	}
	if err := a.missing(c, rec); err != nil {
		return err
	}
	secrets, err := a.hiding(c)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context())
	defer stop()
	target.Stderr = c.ErrOrStderr()
	p := &proxy{watcher: adoption.NewWatcher(secrets), name: a.record, secrets: secrets, stderr: c.ErrOrStderr()}
	return hidden(secrets, p.recording(ctx, func() error {
		if a.proxy == overStdio {
			return p.stdio(ctx, target.Command, c.InOrStdin(), out.Unchanged())
		}
		return p.http(ctx, a.proxy, target)
	}))
}

// A proxy passes on what clients and a server send, and records the calls.
type proxy struct {
	watcher *adoption.Watcher
	name    string // of the file
	secrets *adoption.Secrets
	stderr  io.Writer

	session, added int
	err            error // the first one of saving
}

// recording calls pass, and keeps the file up to date meanwhile. Who has started the proxy may end it without a warning.
func (p *proxy) recording(ctx context.Context, pass func() error) error {
	done, saved := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(saved)
		for {
			select {
			case <-p.watcher.News():
				p.save()
			case <-done:
				return
			}
			select { // what comes soon after is saved together, unless the end is near
			case <-time.After(saveEvery):
			case <-ctx.Done():
			case <-done:
			}
		}
	}()
	err := pass()
	close(done)
	<-saved
	p.save()
	for _, note := range p.watcher.Left() {
		fmt.Fprintln(p.stderr, note)
	}
	noun := "calls"
	if p.added == 1 {
		noun = "call"
	}
	fmt.Fprintf(p.stderr, "%s: %d %s added\n", filepath.ToSlash(p.name), p.added, noun)
	return cmp.Or(err, p.err)
}

// save adds the calls to the file. What other proxies have added to it stays.
func (p *proxy) save() {
	seen := p.watcher.Take()
	if len(seen) == 0 {
		return
	}
	if err := p.add(seen); err != nil && p.err == nil {
		p.err = err
		fmt.Fprintln(p.stderr, "Calls are not recorded:", p.secrets.Hide(err.Error()))
	}
}

// add adds calls to the file, which is locked and read anew: other proxies may write to it, too. All calls that one
// proxy adds have the same session, a new one in the file.
func (p *proxy) add(seen []adoption.SeenCall) (err error) {
	unlock, err := lockFile(p.name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	rec, err := readRecording(p.name)
	if err != nil {
		return err
	}
	if p.session == 0 {
		p.session = rec.Sessions() + 1
	}
	for i := range seen {
		seen[i].Session = p.session
	}
	added := rec.Add(seen, p.watcher.Leave)
	text, err := rec.Format(p.secrets)
	if err != nil {
		return err
	}
	if err := output.Apply([]output.Change{{Path: p.name, New: text}}); err != nil {
		return err
	}
	p.added += added
	return nil
}

// lockFile waits until no other process changes a file.
func lockFile(name string) (unlock func() error, err error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("no folder for locks: %w", err)
	}
	dir = filepath.Join(dir, "mcpgen", "locks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if name, err = filepath.Abs(name); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	lock := flock.New(filepath.Join(dir, fmt.Sprintf("%x.lock", sha256.Sum256([]byte(name)))))
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return nil, fmt.Errorf("locking %s: %w", filepath.ToSlash(name), err)
	}
	return lock.Unlock, nil
}

// stdio starts a server, and passes on what goes by, byte by byte, until the server has ended.
func (p *proxy) stdio(ctx context.Context, command []string, in io.Reader, out io.Writer) error {
	conversation := p.watcher.Conversation("")
	fromClient := &lineSplitter{max: maxWatched, each: func(line []byte) { conversation.FromClient(line, "") }}
	fromServer := &lineSplitter{max: maxWatched, each: conversation.FromServer}
	said := &lineSplitter{max: maxErrLine, pieces: true, each: func(line []byte) { p.stderr.Write(append(line, '\n')) }}
	// A client that has gone must not end the proxy before it has saved. The server does not inherit this.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = exitTime
	cmd.Stdout = io.MultiWriter(fromServer, out) // a client has nothing that is not seen
	cmd.Stderr = said
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return connectionError{err}
	}
	go func() { // until the input ends, or the process
		io.Copy(io.MultiWriter(fromClient, stdin), in)
		stdin.Close()
	}()
	err = cmd.Wait()
	fromServer.end()
	said.end()
	if ctx.Err() != nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil // it was ended
	}
	if err != nil {
		return connectionError{fmt.Errorf("the server: %w", err)}
	}
	return nil
}

// A lineSplitter calls each with the lines that are written to it, without their ends. The bytes are valid during the call.
type lineSplitter struct {
	max    int  // bytes of a line
	pieces bool // a line that is longer is passed in pieces; else it is left out
	each   func(line []byte)

	line []byte
	long bool // the line is left out
}

// Write implements io.Writer. It never fails.
func (l *lineSplitter) Write(text []byte) (int, error) {
	for rest := text; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		if len(l.line)+len(part) > l.max {
			if l.pieces {
				l.end()
			} else {
				l.long, l.line = true, nil
			}
		}
		if !l.long {
			l.line = append(l.line, part...)
		}
		if ended {
			if !l.long {
				l.each(bytes.TrimSuffix(l.line, []byte("\r")))
			}
			l.line, l.long = l.line[:0], false
		}
		rest = after
	}
	if cap(l.line) > 1<<20 && len(l.line) == 0 {
		l.line = nil
	}
	return len(text), nil
}

// end passes on a line without an end.
func (l *lineSplitter) end() {
	if len(l.line) > 0 {
		l.each(l.line)
		l.line = l.line[:0]
	}
}

// http passes on requests until ctx ends.
func (p *proxy) http(ctx context.Context, addr string, target *console.Target) error {
	to := must(url.Parse(target.URL)) // which has been checked
	logger := log.New(p.stderr, "", 0)
	opener, err := target.Opener(slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return err
	}
	defer opener.Close()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("%w; -proxy chooses another address", err)
	}
	fmt.Fprintf(p.stderr, "recording what clients do at http://%s%s; Ctrl-C ends it\n", l.Addr(), to.EscapedPath())
	s := &http.Server{
		Handler:           p.handler(to, target.Header, opener.RoundTripper(), logger),
		ReadHeaderTimeout: requestTime,
		ErrorLog:          logger,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stopped := make(chan error)
	stop := context.AfterFunc(ctx, func() {
		limited, cancel := context.WithTimeout(context.Background(), endTime)
		defer cancel()
		stopped <- cmp.Or(s.Shutdown(limited), s.Close())
	})
	err = s.Serve(l)
	if stop() { // it has failed
		return errors.Join(err, s.Close())
	}
	<-stopped
	return nil
}

// handler passes requests on to the server at a URL.
func (p *proxy) handler(to *url.URL, header http.Header, transport http.RoundTripper, logger *log.Logger) http.Handler {
	sessions := &httpSessions{watcher: p.watcher, all: map[string]*adoption.Conversation{}}
	reverse := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     transport,
		ErrorLog:      logger,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, to.Host
			if r.Out.URL.Path == to.Path && r.Out.URL.RawQuery == "" {
				r.Out.URL.RawQuery = to.RawQuery
			}
			r.Out.Header.Del("Accept-Encoding") // what is compressed cannot be seen
			for name, values := range header {
				r.Out.Header[name] = values
			}
		},
		ModifyResponse: func(r *http.Response) error {
			if c, ok := r.Request.Context().Value(conversationKey{}).(*adoption.Conversation); ok {
				sessions.keep(r.Header.Get(mcp.HeaderSessionID), c)
				r.Body = &watchedBody{ReadCloser: r.Body, to: readerOf(r.Header.Get("Content-Type"), c)}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				fmt.Fprintln(p.stderr, p.secrets.Hide(err.Error()))
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A page of another site must not reach the server, by a name that leads here or by a request of its own.
		origin, err := url.Parse(r.Header.Get("Origin"))
		if err != nil || !isThisMachine(r.Host) || origin.Host != "" && !isThisMachine(origin.Host) || r.Header.Get("Origin") == "null" {
			http.Error(w, "the proxy is for programs on this machine", http.StatusForbidden)
			return
		}
		c := sessions.of(r)
		if r.Method == http.MethodPost {
			head, err := io.ReadAll(io.LimitReader(r.Body, maxWatched+1))
			if err != nil {
				http.Error(w, "the body cannot be read", http.StatusBadRequest)
				return
			}
			// When the response begins, the body cannot be read any more. So nothing reads beyond its end.
			body := io.Reader(bytes.NewReader(head))
			switch {
			case len(head) <= maxWatched:
				c.FromClient(head, r.Header.Get(mcp.HeaderProtocolVersion))
			case r.ContentLength > 0:
				body = io.LimitReader(io.MultiReader(body, r.Body), r.ContentLength)
			default:
				body = io.MultiReader(body, r.Body)
			}
			r.Body = struct {
				io.Reader
				io.Closer
			}{body, r.Body}
		}
		reverse.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), conversationKey{}, c)))
	})
}

// isThisMachine reports whether a host, with or without a port, is a name of this machine.
func isThisMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// conversationKey is the key of the *adoption.Conversation in the context of a request.
type conversationKey struct{}

// httpSessions has the conversations of sessions over HTTP. A request outside of a session is a conversation of its own.
type httpSessions struct {
	watcher *adoption.Watcher
	mu      sync.Mutex
	all     map[string]*adoption.Conversation
}

// of returns the conversation of a request. What has no header with a revision is 2025-03-26, unless initialize said otherwise.
func (s *httpSessions) of(r *http.Request) *adoption.Conversation {
	id := r.Header.Get(mcp.HeaderSessionID)
	s.mu.Lock()
	c := s.all[id]
	s.mu.Unlock()
	if c == nil {
		c = s.watcher.Conversation(mcp.V2025_03_26.String())
		s.keep(id, c)
	}
	return c
}

// keep makes a conversation that of a session, if there is an id.
func (s *httpSessions) keep(id string, c *adoption.Conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" || s.all[id] == c {
		return
	}
	for other := range s.all { // whichever
		if len(s.all) < maxSessions {
			break
		}
		delete(s.all, other)
	}
	s.all[id] = c
}

// A watchedBody writes what is read to another one, too.
type watchedBody struct {
	io.ReadCloser
	to   io.WriteCloser
	once sync.Once
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.to.Write(p[:n])
	if err == io.EOF {
		b.once.Do(func() { b.to.Close() })
	}
	return n, err
}

// readerOf returns what reads the messages of a response.
func readerOf(contentType string, c *adoption.Conversation) io.WriteCloser {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch kind {
	case "application/json":
		return &wholeBody{c: c}
	case "text/event-stream":
		e := &events{c: c}
		e.lineSplitter = lineSplitter{max: maxWatched, each: e.line}
		return e
	}
	return nobody{}
}

// nobody does not look at a response.
type nobody struct{}

func (nobody) Write(p []byte) (int, error) { return len(p), nil }
func (nobody) Close() error                { return nil }

// A wholeBody is one message.
type wholeBody struct {
	c    *adoption.Conversation
	data []byte
	long bool
}

func (b *wholeBody) Write(p []byte) (int, error) {
	if b.long = b.long || len(b.data)+len(p) > maxWatched; b.long {
		b.data = nil
	} else {
		b.data = append(b.data, p...)
	}
	return len(p), nil
}

func (b *wholeBody) Close() error {
	if !b.long {
		b.c.FromServer(b.data)
	}
	return nil
}

// events reads server-sent events, each of which is a message.
type events struct {
	lineSplitter
	c    *adoption.Conversation
	data []byte
	long bool
}

// line reads a line of a stream as the WHATWG's HTML standard says: an empty line ends an event, and of the others only
// data counts. An event that is longer than maxWatched is left out.
func (e *events) line(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case len(line) == 0:
		if !e.long && len(e.data) > 0 {
			e.c.FromServer(e.data)
		}
		e.data, e.long = nil, false
	case string(name) != "data":
	case len(e.data)+len(value) > maxWatched:
		e.data, e.long = nil, true
	default:
		e.data = append(append(e.data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
	}
}

func (e *events) Close() error { return nil }
