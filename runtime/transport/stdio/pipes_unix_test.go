//go:build unix

package stdio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio/internal/pipes"
)

func init() {
	pairs["blocking pipes"] = func(t *testing.T) (a, b *Transport) {
		r1, w1 := blockingPipe(t)
		r2, w2 := blockingPipe(t)
		return New(r1, w2, testOptions), New(r2, w1, testOptions)
	}
	pairs["blocking pipes, polled"] = func(t *testing.T) (a, b *Transport) {
		r1, w1 := blockingPipe(t)
		r2, w2 := blockingPipe(t)
		return New(pipes.Poll(r1), w2, testOptions), New(pipes.Poll(r2), w1, testOptions)
	}
}

// nextFile returns the descriptor that the next file would get.
func nextFile() int {
	f, err := os.Open(os.DevNull)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	return int(f.Fd())
}

func init() {
	// It cannot start a server, since it may open only so many files.
	children["with few files"] = func() {
		if r, w, err := os.Pipe(); err == nil { // so that the runtime has opened what it needs
			r.Close()
			w.Close()
		}
		before := nextFile()
		limit := syscall.Rlimit{Cur: uint64(before) + 5, Max: uint64(before) + 5} // enough for two pipes
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			panic(err)
		}
		p, err := command("exiting").Start(context.Background())
		fmt.Println(p == nil, errors.Is(err, syscall.EMFILE), nextFile()-before)
	}
}

// A server that cannot be started leaves no file open.
func TestNoFilesAreLeft(t *testing.T) {
	before := nextFile()
	if p, err := (&Command{Path: "/no such program"}).Start(t.Context()); err == nil {
		p.Close()
		t.Error("it was started")
	}
	if after := nextFile(); after != before {
		t.Errorf("the next file is %d, want %d", after, before)
	}
	if stdout, _ := runChild(t, "with few files", ""); stdout != "true true 0\n" {
		t.Errorf("with few files: %s", stdout)
	}
}

// A process that does not lead a group of its own is told to terminate by itself.
func TestServerWithoutGroup(t *testing.T) {
	for name, attr := range map[string]*syscall.SysProcAttr{
		"no attributes": nil, "no group": {}, "our group": {Setpgid: true, Pgid: syscall.Getpgrp()},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := command("ignoring the end of input")
			cmd.ExitTime, cmd.TermTime = 1, time.Minute
			cmd.Adjust = func(c *exec.Cmd) { c.SysProcAttr = attr }
			var exit *ExitError
			if err := start(t, cmd).Close(); !errors.As(err, &exit) || exit.Forced != "terminated" {
				t.Error(err)
			}
		})
	}
}

// blockingPipe returns a pipe whose ends are in blocking mode, as standard streams mostly are.
func blockingPipe(t *testing.T) (r, w *os.File) {
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(ends[0])
	syscall.CloseOnExec(ends[1])
	return os.NewFile(uintptr(ends[0]), "r"), os.NewFile(uintptr(ends[1]), "w")
}

// A pipe is in blocking mode again when the transport is closed: others may have it open.
func TestModeIsRestored(t *testing.T) {
	r, w := blockingPipe(t)
	fd, err := syscall.Dup(int(r.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	nonblocking := func() bool {
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
		if errno != 0 {
			t.Fatal(errno)
		}
		return flags&syscall.O_NONBLOCK != 0
	}
	defer w.Close()
	p := pipes.Poll(r)
	if p == nil || !nonblocking() {
		t.Fatal("reading cannot be woken")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if nonblocking() {
		t.Error("the pipe is still in non-blocking mode")
	}
}

// Files that are neither pipes nor sockets are not touched.
func TestRegularFile(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	name := t.TempDir() + "/in"
	if err := os.WriteFile(name, []byte("{}\n[]"), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(name + "2")
	if err != nil {
		t.Fatal(err)
	}
	tr := New(in, out, nil)
	hear(t, tr, "{}")
	hear(t, tr, "[]")
	hear(t, tr, "error: EOF")
	say(t, tr, "answer")
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(name + "2"); string(got) != "answer\n" {
		t.Errorf("%q", got)
	}
}
