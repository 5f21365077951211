package stdio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// The test binary is also the programs that the tests start: the environment says which.
const childEnv = "STDIO_TEST_CHILD"

// aliveEnv names the file that keeps the child "for a while" alive.
const aliveEnv = "STDIO_TEST_ALIVE"

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		testenv.RefuseChild() // or a Command that loses the environment would run all tests again, and these would
		os.Exit(m.Run())
	}
	child := children[name]
	if child == nil {
		fmt.Fprintln(os.Stderr, "no such child:", name)
		os.Exit(2)
	}
	child()
}

var children = map[string]func(){
	"echo": func() { echo(nil) },

	"relay": relay,

	// The same, and it prints in many ways.
	"printing echo": func() {
		before := bufio.NewWriter(os.Stdout)
		echo(func(text string) {
			switch text {
			case "print":
				fmt.Println("printed")
			case "buffered":
				before.WriteString("buffered\n")
				before.Flush()
			case "system call":
				syscall.Write(1, []byte("by a system call\n"))
			case "child":
				cmd := exec.Command(os.Args[0])
				cmd.Env = childEnviron("hello")
				cmd.Stdout = os.Stdout
				if err := cmd.Run(); err != nil {
					panic(err)
				}
			case "much":
				for range 10_000 {
					fmt.Println("0123456789")
				}
			}
		})
		fmt.Println("printed after the end")
	},

	"hello": func() { fmt.Println("hello from a child") },

	// It begins to shut down itself.
	"closing": func() {
		t, err := Server(nil)
		if err != nil {
			panic(err)
		}
		t.Send(context.Background(), transport.Message{Data: []byte("bye")})
		t.Close()
		time.Sleep(50 * time.Millisecond)
	},

	"dying": func() {
		bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Fprintln(os.Stderr, "reading the configuration")
		fmt.Fprintln(os.Stderr, "fatal: there is none")
		os.Exit(3)
	},

	"exiting": func() {},

	// It has nothing to say.
	"mute": func() {
		os.Stdout.Close()
		io.Copy(io.Discard, os.Stdin)
	},

	"ignoring the end of input": func() { time.Sleep(time.Hour) },

	"ignoring everything": func() {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	},

	// A script that runs the real server, which holds the streams. It waits for it, come what may.
	"script": func() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = childEnviron("ignoring everything")
		cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdout, os.Stderr, []*os.File{os.NewFile(3, "life")}
		signal.Ignore(syscall.SIGTERM)
		if err := cmd.Run(); err != nil {
			panic(err)
		}
	},

	// A script that leaves something behind, which holds the streams.
	"leaving": func() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = childEnviron("for a while")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		os.Exit(5)
	},

	// It lives as long as the test that named a file, or two minutes.
	"for a while": func() {
		for begun := time.Now(); time.Since(begun) < 2*time.Minute; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(os.Getenv(aliveEnv)); err != nil {
				return
			}
		}
	},

	"flooding stderr": func() {
		line := strings.Repeat("x", 99) + "\n"
		for range 50_000 {
			os.Stderr.WriteString(line)
		}
		os.Stderr.WriteString(strings.Repeat("y", 20_000) + "\nlast")
		echo(nil)
	},

	"flooding stdout": func() {
		io.WriteString(os.Stdout, "ready\n")
		io.Copy(io.Discard, os.Stdin)
		for range 10_000 { // nobody reads it any more
			if _, err := io.WriteString(os.Stdout, strings.Repeat("x", 99)+"\n"); err != nil {
				os.Exit(4)
			}
		}
	},

	"garbage at the end": func() { os.Stdout.WriteString(strings.Repeat("long", 1000) + "\n{}\n") },

	"garbage": func() {
		os.Stdout.WriteString("\x00\xff garbage\n\n{\"half\":\n" + strings.Repeat("long", 1000) + "\n{}\n")
		io.Copy(io.Discard, os.Stdin)
	},
}

// echo sends back what it receives, until the end of input.
func echo(on func(text string)) {
	if err := Serve(context.Background(), echoServer{on}, nil); err != nil {
		panic(err)
	}
}

// An echoServer sends back what it receives.
type echoServer struct{ on func(text string) }

func (s echoServer) Serve(ctx context.Context, t transport.Transport) error {
	for {
		m, err := t.Receive(ctx)
		if errors.Is(err, io.EOF) {
			return t.Close()
		}
		if err != nil {
			return err
		}
		if s.on != nil {
			s.on(string(m.Data))
		}
		if err := t.Send(ctx, m); err != nil {
			return err
		}
	}
}

// childEnviron is the environment of a child. The race detector would have it sleep before it exits.
func childEnviron(name string) []string {
	return append(os.Environ(), childEnv+"="+name, "GORACE=atexit_sleep_ms=0")
}

// command returns a command that runs a child.
func command(name string) *Command {
	return &Command{Path: os.Args[0], Env: childEnviron(name), Stderr: io.Discard}
}

// start starts a child, and checks in the end that no goroutine is left.
func start(t *testing.T, c *Command) *Process {
	t.Helper()
	testenv.NoGoroutinesLeft(t)
	p, err := c.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}
