package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// REQ STDIO-02, STDIO-05
func TestCommand(t *testing.T) {
	c := command("echo")
	c.Dir, c.ExitTime = t.TempDir(), time.Hour
	for range 2 { // REQ STDIO-13: it can be started again
		p := start(t, c)
		say(t, p, `{"a":1}`)
		hear(t, p, `{"a":1}`)
		if p.Pid() <= 0 {
			t.Error(p.Pid())
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		for range 10 { // although it has ended, too
			hear(t, p, "error: transport: closed")
		}
		if err := p.Send(t.Context(), transport.Message{}); err != transport.ErrClosed {
			t.Error(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCommandCannotStart(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	for _, c := range []*Command{
		{Path: filepath.Join(t.TempDir(), "no such program")},
		{Path: "no-such-program-in-path"},
		{Path: os.Args[0], Dir: filepath.Join(t.TempDir(), "no such directory")},
	} {
		if p, err := c.Start(t.Context()); err == nil {
			p.Close()
			t.Errorf("%+v was started", c)
		} else if !strings.Contains(err.Error(), "no") {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := command("echo").Start(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestServerDies(t *testing.T) {
	p := start(t, command("dying"))
	say(t, p, "x")
	_, err := p.Receive(t.Context())
	var exit *ExitError
	if !errors.As(err, &exit) || exit.State.ExitCode() != 3 || exit.Forced != "" {
		t.Fatalf("%v", err)
	}
	if got, want := err.Error(), "stdio: the server ended: exit status 3; its standard error ends: reading the configuration\nfatal: there is none"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !errors.As(err, new(*exec.ExitError)) {
		t.Error("no exec.ExitError in it")
	}
	<-p.Ended()
	if err := p.Send(t.Context(), transport.Message{Data: []byte("x")}); !errors.As(err, &exit) {
		t.Errorf("%v", err)
	}
	if err := p.Close(); !errors.As(err, &exit) {
		t.Errorf("%v", err)
	}
}

func TestServerJustExits(t *testing.T) {
	p := start(t, command("exiting"))
	hear(t, p, "error: EOF")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// REQ STDIO-09, STDIO-10
func TestServerDoesNotExit(t *testing.T) {
	const exitTime, termTime = 300 * time.Millisecond, 200 * time.Millisecond
	unix := runtime.GOOS != "windows"
	for _, c := range []struct {
		name, forced    string
		termTime, after time.Duration
	}{
		{"ignoring the end of input", "terminated", time.Hour, exitTime},
		{"ignoring everything", "killed", termTime, exitTime + termTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := command(c.name)
			cmd.ExitTime, cmd.TermTime = exitTime, c.termTime
			p := start(t, cmd)
			if c.forced == "killed" {
				hear(t, p, "ready")
			}
			received := make(chan error)
			go func() {
				_, err := p.Receive(context.Background())
				received <- err
			}()
			begin := time.Now()
			err := p.Close()
			took := time.Since(begin)
			var exit *ExitError
			if !errors.As(err, &exit) || unix && exit.Forced != c.forced {
				t.Fatalf("%v", err)
			}
			if want := "stdio: the server did not exit in time and was " + exit.Forced + ": "; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
			if unix && took < c.after || took > c.after+time.Minute {
				t.Errorf("it took %v, want %v", took, c.after)
			}
			if err := <-received; err != transport.ErrClosed {
				t.Error(err)
			}
		})
	}
}

// A server may close its output and go on. It has a moment to end.
func TestServerClosesItsOutput(t *testing.T) {
	p := start(t, command("mute"))
	hear(t, p, "error: EOF") // although it has not ended
	why := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), lingerTime/10, why)
	defer cancel()
	if _, err := p.Receive(ctx); err != why {
		t.Errorf("until the context ends: %v, want %v", err, why)
	}
	received := make(chan error)
	go func() {
		_, err := p.Receive(context.Background())
		received <- err
	}()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := <-received; err != transport.ErrClosed {
		t.Errorf("until it is closed: %v", err)
	}
}

// Adjust changes what is started.
func TestAdjust(t *testing.T) {
	cmd := command("echo")
	cmd.Adjust = func(c *exec.Cmd) { c.Env = childEnviron("exiting") }
	hear(t, start(t, cmd), "error: EOF")
}

// What has ended is not forced to, and what cannot be forced was not.
func TestForce(t *testing.T) {
	p := &Process{ended: make(chan struct{})}
	for _, can := range []bool{true, false} {
		if did := p.force(fmt.Sprint(can), func(*exec.Cmd) bool { return can }); did != can || p.forced != "true" {
			t.Errorf("forced %v, %q", did, p.forced)
		}
	}
	close(p.ended)
	if p.force("killed", func(*exec.Cmd) bool { t.Error("it is told to end again"); return true }) || p.forced != "true" {
		t.Errorf("when it has ended: forced %q", p.forced)
	}
}

// Next to no time is possible, too.
func TestServerIsKilledAtOnce(t *testing.T) {
	cmd := command("ignoring everything")
	cmd.ExitTime, cmd.TermTime = 1, 1
	if p := start(t, command("exiting")); p.exitTime != 5*time.Second || p.termTime != 2*time.Second {
		t.Errorf("by default it has %v to exit and %v to terminate, want 5s and 2s", p.exitTime, p.termTime)
	}
	p := start(t, cmd)
	hear(t, p, "ready")
	if p.exitTime != 1 || p.termTime != 1 {
		t.Errorf("it has %v to exit and %v to terminate, want 1ns", p.exitTime, p.termTime)
	}
	var exit *ExitError
	if err := p.Close(); !errors.As(err, &exit) || exit.Forced != "killed" {
		t.Error(err)
	}
}

// What a server has started is ended with it.
func TestServerHasChildren(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no process groups")
	}
	life, alive := filePipe(t)
	defer life.Close()
	cmd := command("script")
	cmd.ExitTime, cmd.TermTime = 50*time.Millisecond, 50*time.Millisecond
	cmd.Adjust = func(c *exec.Cmd) { c.ExtraFiles = []*os.File{alive} }
	p := start(t, cmd)
	alive.Close()
	hear(t, p, "ready")
	var exit *ExitError
	if err := p.Close(); !errors.As(err, &exit) || exit.Forced != "killed" {
		t.Error(err)
	}
	life.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := life.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the real server is still alive: %v", err)
	}
}

// A process that a server leaves behind does not keep anybody waiting.
func TestServerLeavesSomethingBehind(t *testing.T) {
	for _, closes := range []bool{true, false} {
		alive := filepath.Join(t.TempDir(), "alive")
		if err := os.WriteFile(alive, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := command("leaving")
		cmd.Env = append(cmd.Env, aliveEnv+"="+alive)
		p := start(t, cmd)
		<-p.Ended()
		begin := time.Now()
		var exit *ExitError
		if !closes {
			if _, err := p.Receive(t.Context()); !errors.As(err, &exit) || exit.State.ExitCode() != 5 {
				t.Error(err)
			}
		}
		if err := p.Close(); !errors.As(err, &exit) {
			t.Error(err)
		}
		if took := time.Since(begin); took > time.Minute { // what is left lives for two
			t.Errorf("it took %v", took)
		}
	}
}

// REQ STDIO-07, STDIO-08
func TestServerFloodsStderr(t *testing.T) {
	cmd := command("flooding stderr")
	var mu sync.Mutex
	lines, longest, rest := 0, 0, ""
	cmd.Stderr = writerFunc(func(line []byte) {
		mu.Lock()
		defer mu.Unlock()
		lines++
		longest = max(longest, len(line))
		rest = string(line)
	})
	p := start(t, cmd)
	say(t, p, "x")
	hear(t, p, "x")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if lines != 50_000+3+1 || longest > stderrLine || rest != "last" {
		t.Errorf("%d lines, the longest of %d bytes, the last is %q", lines, longest, rest)
	}
	if len(p.tail) > tailSize {
		t.Errorf("%d bytes are kept", len(p.tail))
	}
}

type writerFunc func(line []byte)

func (f writerFunc) Write(line []byte) (int, error) {
	f(line)
	return 0, errors.New("which is ignored")
}

func TestStderrIsLogged(t *testing.T) {
	cmd := command("dying")
	var text bytes.Buffer
	cmd.Stderr, cmd.Logger = nil, slog.New(slog.NewTextHandler(&text, nil))
	p := start(t, cmd)
	say(t, p, "x")
	p.Receive(t.Context())
	p.Close()
	if got := text.String(); strings.Count(got, "level=INFO") != 2 || !strings.Contains(got, `line="fatal: there is none"`) {
		t.Error(got)
	}
}

// A server that still writes while it is being closed is not kept from exiting.
func TestServerFloodsStdout(t *testing.T) {
	p := start(t, command("flooding stdout"))
	hear(t, p, "ready")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestServerWritesGarbage(t *testing.T) {
	cmd := command("garbage")
	cmd.MaxMessage = 100
	p := start(t, cmd)
	hear(t, p, "\x00\xff garbage")
	hear(t, p, `{"half":`)
	hear(t, p, "error: transport: a message is longer than the limit of 100 bytes")
	hear(t, p, "{}")
}

// What a server has written before it ended is received as it is.
func TestServerWritesGarbageAndEnds(t *testing.T) {
	cmd := command("garbage at the end")
	cmd.MaxMessage = 100
	p := start(t, cmd)
	<-p.Ended()
	hear(t, p, "error: transport: a message is longer than the limit of 100 bytes")
	hear(t, p, "{}")
	hear(t, p, "error: EOF")
}

// A server that does not read is no reason not to return.
func TestServerDoesNotRead(t *testing.T) {
	cmd := command("ignoring the end of input")
	cmd.ExitTime = time.Millisecond
	p := start(t, cmd)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var err error
	for err == nil {
		err = p.Send(ctx, transport.Message{Data: make([]byte, 100_000)})
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	var exit *ExitError
	if err := p.Close(); !errors.As(err, &exit) {
		t.Error(err)
	}
}
