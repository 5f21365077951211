package stdio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// A Command says how to run a server as a child process. It can be started any number of times, one process after
// another or several at once; each process is a connection.
type Command struct {
	Path string   // of the program; a name without a slash is looked up in PATH
	Args []string // without the program itself
	Env  []string // NAME=VALUE; nil for the environment of this process
	Dir  string   // its working directory; empty for that of this process

	// Adjust may change the command before it is started, except for its standard streams.
	Adjust func(*exec.Cmd)

	// Stderr receives what the server writes to standard error, a line with its end in each call of Write, or a piece
	// if a line is longer than 8 KiB. Output there does not mean that something is wrong. The server waits while Stderr
	// is being written to; its errors are ignored. Concurrent processes write concurrently. Nil logs the lines at
	// level info.
	Stderr io.Writer

	// ExitTime is how long [Process.Close] waits for the server to exit after the end of its input, 5 s
	// if 0, and TermTime after it was told to terminate, 2 s if 0. A negative value is no limit.
	ExitTime, TermTime time.Duration

	Options
}

// Start starts the server. The context is only for starting it.
func (c *Command) Start(ctx context.Context) (*Process, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	o := c.Options.complete()
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	ownGroup(cmd)
	if c.Adjust != nil {
		c.Adjust(cmd)
	}
	var files [6]*os.File
	for i := 0; i < len(files); i += 2 {
		var err error
		if files[i], files[i+1], err = os.Pipe(); err != nil {
			closeAll(files[:i])
			return nil, err
		}
	}
	stdin, stdout, stderr := files[:2], files[2:4], files[4:]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin[0], stdout[1], stderr[1]
	if err := cmd.Start(); err != nil {
		closeAll(files[:])
		return nil, err
	}
	closeAll([]*os.File{stdin[0], stdout[1], stderr[1]})
	p := &Process{
		t:        New(stdout[0], stdin[1], &o),
		cmd:      cmd,
		exitTime: option.Limit(c.ExitTime, 5*time.Second),
		termTime: option.Limit(c.TermTime, 2*time.Second),
		closing:  make(chan struct{}),
		ended:    make(chan struct{}),
		stderr:   stderr[0],
		quiet:    make(chan struct{}),
		done:     make(chan struct{}),
	}
	to := c.Stderr
	if to == nil {
		to = &lineLogger{c.Path, o.Logger}
	}
	go p.drain(to)
	go p.wait()
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// A Process is a server that runs as a child process. It is a [transport.Transport].
type Process struct {
	t                  *Transport
	cmd                *exec.Cmd
	exitTime, termTime time.Duration

	once    sync.Once
	closing chan struct{} // closed when Close begins

	ended chan struct{} // closed when the process has ended
	err   error         // then: *ExitError, nil if it exited with status 0
	done  chan struct{} // closed when its streams are closed, too

	stderr *os.File
	quiet  chan struct{} // closed when all of stderr has been read
	mu     sync.Mutex
	tail   []byte // the last of stderr
	forced string // what was done to end the process
}

// An ExitError says how a server ended, unless it exited by itself with status 0.
type ExitError struct {
	State  *os.ProcessState
	Forced string // how Close ended it: "terminated", "killed"; empty if it ended by itself
	Stderr string // the last that it wrote to standard error
	Err    error  // of waiting for it, usually an *[exec.ExitError]
}

func (e *ExitError) Error() string {
	msg := "stdio: the server ended: " + e.Err.Error()
	if e.Forced != "" {
		msg = "stdio: the server did not exit in time and was " + e.Forced + ": " + e.Err.Error()
	}
	if e.Stderr != "" {
		msg += "; its standard error ends: " + e.Stderr
	}
	return msg
}

func (e *ExitError) Unwrap() error { return e.Err }

const (
	// lingerTime is how much later than the process its streams may end, or the process than its streams.
	lingerTime = time.Second
	// tailSize is how many bytes of stderr an error repeats.
	tailSize = 2 << 10
	// stderrLine is how many bytes of a line are passed on at once, at most.
	stderrLine = 8 << 10
)

// Pid returns the process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Ended returns a channel that is closed when the process has ended, for whatever reason.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Receive implements [transport.Receiver]. After the server has ended, the error is io.EOF if it exited with status
// 0, else an *[ExitError].
func (p *Process) Receive(ctx context.Context) (transport.Message, error) {
	m, err := p.t.Receive(ctx)
	if err == nil || errors.As(err, new(*transport.MessageError)) || p.t.closed.Load() {
		return m, err
	}
	// The output ends with the server. How the server ended is known a moment later.
	select {
	case <-p.ended:
		if p.err != nil {
			return m, p.err
		}
		return m, io.EOF
	case <-p.closing:
		return m, transport.ErrClosed
	case <-ctx.Done():
		return m, context.Cause(ctx)
	case <-time.After(lingerTime):
		return m, err
	}
}

// Send implements [transport.Sender].
func (p *Process) Send(ctx context.Context, m transport.Message) error {
	err := p.t.Send(ctx, m)
	if err != nil && p.hasEnded() && p.err != nil {
		return p.err
	}
	return err
}

// Close ends the server. It closes the server's standard input and waits for it to exit; if the server does not
// exit, Close tells it to terminate, and in the end kills it. On Unix it sends the signals TERM and KILL to the
// process and the processes that it started; on other systems it kills the process at once. Whatever the server
// still writes is discarded.
//
// The error is an *[ExitError], nil if the server exited with status 0.
func (p *Process) Close() error {
	p.once.Do(func() {
		close(p.closing)
		p.t.closed.Store(true)
		p.t.writer.close()
		read := make(chan struct{})
		go func() { // a server that cannot write cannot exit
			defer close(read)
			p.t.receiving.Lock()
			defer p.t.receiving.Unlock()
			io.Copy(io.Discard, p.t.in)
		}()
		p.end()
		after(p.done, lingerTime)
		after(read, lingerTime)
	})
	if !p.hasEnded() {
		return errors.New("stdio: the server cannot be killed")
	}
	return p.err
}

// end makes the process end.
func (p *Process) end() {
	after(p.ended, p.exitTime)
	if p.force("terminated", terminate) {
		after(p.ended, p.termTime)
	}
	p.force("killed", kill)
	after(p.ended, lingerTime)
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// force tries to end the process in the given way. It does nothing if the process has ended.
func (p *Process) force(how string, by func(*exec.Cmd) bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hasEnded() || !by(p.cmd) {
		return false
	}
	p.forced = how
	return true
}

// wait waits for the process to end, and closes its streams soon after that, since other processes may keep them
// open for ever.
func (p *Process) wait() {
	err := p.cmd.Wait()
	after(p.quiet, lingerTime/10)
	p.mu.Lock()
	if err != nil {
		p.err = &ExitError{State: p.cmd.ProcessState, Forced: p.forced, Stderr: string(bytes.TrimSpace(p.tail)), Err: err}
	}
	close(p.ended)
	p.mu.Unlock()
	after(p.closing, lingerTime)
	p.stderr.Close()
	p.t.in.Close()
	<-p.quiet
	close(p.done)
}

// after waits until c is closed, for at most d.
func after(c <-chan struct{}, d time.Duration) {
	select {
	case <-c:
	case <-time.After(d):
	}
}

// A lineLogger logs each line that is written.
type lineLogger struct {
	server string
	log    *slog.Logger
}

func (l *lineLogger) Write(line []byte) (int, error) {
	l.log.Info("stdio: standard error of the server", "server", l.server, "line", string(bytes.TrimRight(line, "\r\n")))
	return len(line), nil
}

// drain passes on standard error to its end.
func (p *Process) drain(to io.Writer) {
	defer close(p.quiet)
	r := bufio.NewReaderSize(p.stderr, stderrLine)
	for {
		line, err := r.ReadSlice('\n')
		p.mu.Lock()
		p.tail = append(p.tail, line...)
		if n := len(p.tail) - tailSize; n > 0 {
			p.tail = append(p.tail[:0], p.tail[n:]...)
		}
		p.mu.Unlock()
		if len(line) > 0 {
			to.Write(line)
		}
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}
