package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// A dialog is a command that runs at a terminal, or between pipes.
type dialog struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File // the other end of the terminal; nil for pipes

	mu   sync.Mutex
	all  bytes.Buffer // what was written
	text bytes.Buffer // the same without what was expected
	more chan struct{}
	over chan struct{} // closed when nobody has the other end any more
}

// startDialog runs the command at a terminal of that width, with the test's server.
func startDialog(t *testing.T, width uint16, args ...string) *dialog {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(t, t.TempDir(), append(args, "--", self, asServer)...)
	cmd.Env = append(cmd.Env, "KITTY_WINDOW_ID=1")
	return startAtTerminal(t, width, cmd)
}

// startAtTerminal runs any command at a terminal of that width.
func startAtTerminal(t *testing.T, width uint16, cmd *exec.Cmd) *dialog {
	t.Helper()
	master, slave := testenv.PseudoTerminal(t, width)
	cmd.Stdin = slave
	cmd.Env = append(cmd.Env, "TERM=xterm", "TMUX=", "TMPDIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // for Ctrl-C
	return (&dialog{t: t, cmd: cmd, master: master}).start(master, slave)
}

// startWithPipe runs any command without a terminal.
func startWithPipe(t *testing.T, cmd *exec.Cmd) *dialog {
	t.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { from.Close() })
	return (&dialog{t: t, cmd: cmd}).start(from, to)
}

// start starts the command, which writes to one file, to be read from the other.
func (d *dialog) start(from, to *os.File) *dialog {
	t := d.t
	t.Helper()
	d.more, d.over = make(chan struct{}, 1), make(chan struct{})
	d.cmd.Stdout, d.cmd.Stderr = to, to
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if d.cmd.ProcessState == nil {
			d.cmd.Process.Kill()
			d.cmd.Wait()
		}
	})
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(d.over)
		buf := make([]byte, 4096)
		for {
			n, err := from.Read(buf)
			d.mu.Lock()
			d.all.Write(buf[:n])
			d.text.Write(buf[:n])
			d.mu.Unlock()
			select {
			case d.more <- struct{}{}:
			default:
			}
			if err != nil {
				return // nobody has the other end any more
			}
		}
	}()
	return d
}

// expect waits until the terminal was sent a text, and returns everything up to it, which is not
// found again.
func (d *dialog) expect(text string) string {
	d.t.Helper()
	late := time.After(time.Minute)
	for {
		d.mu.Lock()
		all := d.text.String()
		if i := strings.Index(all, text); i >= 0 {
			d.text.Next(i + len(text))
			d.mu.Unlock()
			return all[:i+len(text)]
		}
		d.mu.Unlock()
		select {
		case <-d.more:
		case <-late:
			d.t.Fatalf("there is no %q in %q", text, all)
		}
	}
}

// shows waits until all of the texts have been written, in whatever order. It reports whether they were before the end.
func (d *dialog) shows(texts ...string) bool {
	d.t.Helper()
	late := time.After(time.Minute)
	for over := false; ; {
		d.mu.Lock()
		all := d.all.String()
		d.mu.Unlock()
		missing := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return strings.Contains(all, text) })
		if len(missing) == 0 || over {
			return len(missing) == 0
		}
		select {
		case <-d.more:
		case <-d.over:
			over = true
		case <-late:
			d.t.Fatalf("there is no %q in %q", missing, all)
		}
	}
}

// interrupt is Ctrl-C.
func (d *dialog) interrupt() {
	d.t.Helper()
	if d.master != nil {
		d.types("\x03")
	} else if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		d.t.Fatal(err)
	}
}

// types types a text.
func (d *dialog) types(text string) {
	d.t.Helper()
	if _, err := d.master.WriteString(text); err != nil {
		d.t.Fatal(err)
	}
}

// ends waits for the command to end with an exit code.
func (d *dialog) ends(code int) {
	d.t.Helper()
	err := d.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		d.t.Fatal(err)
	}
	if got := d.cmd.ProcessState.ExitCode(); got != code {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.t.Errorf("exit code %d, want %d; the last that it said is %q", got, code, d.text.String())
	}
}

func TestConsoleTerminal(t *testing.T) {
	t.Parallel() // it waits most of the time
	for _, width := range []uint16{80, 120} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			d := startDialog(t, width, "inspect", "echo")
			text := d.expect("boolean") + d.expect("\n")
			d.ends(0)
			d = startDialog(t, width, "call", "work")
			text += d.expect("done\r\n")
			d.ends(0)
			if !strings.Contains(text, "[########                ]  33% step long") && !strings.Contains(text, "100% step long") {
				t.Errorf("there is no bar in %q", text)
			}
			for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
				for _, escape := range []string{"\x1b[K", "\x1b[0m", "\x1b[1m"} {
					line = strings.ReplaceAll(line, escape, "")
				}
				if n := utf8.RuneCountInString(line); n > int(width) {
					t.Errorf("%d columns: %q", n, line)
				}
			}
		})
	}

	t.Run("a server does not control the terminal", func(t *testing.T) {
		d := startDialog(t, 80, "call", "escape")
		d.expect(`before\u001b[2Jafter\u202e`)
		d.ends(0)
	})

	t.Run("images", func(t *testing.T) {
		d := startDialog(t, 80, "call", "media")
		d.expect("\x1b_Ga=T,f=100,m=0;UE5H\x1b\\")
		d.expect("audio/wav, 4 bytes, saved as ")
		d.ends(0)
	})
}

// TestConsoleForm fills in a form, with mistakes, and declines one.
func TestConsoleForm(t *testing.T) {
	t.Parallel() // it waits most of the time
	d := startDialog(t, 80, "call", "form")
	d.expect("The server asks: Your order?")
	d.expect("Answer? [yes, no, cancel] ")
	d.types("yes\n")
	d.expect("Name: ")
	d.types("A\n") // too short, which is seen at the end
	d.expect("age (optional): ")
	d.types("many\n")
	d.expect(`"many" is not a number`)
	d.expect("age (optional): ")
	d.types("7\n")
	d.expect("1) r Red")
	d.expect("2) g Green")
	d.expect("colour: ")
	d.types("3\n")
	d.expect(`"3" is not one of the choices`)
	d.expect("colour: ")
	d.types("Green\n")
	d.expect("extras (optional): ")
	d.types("1, y\n")
	d.expect("news [true]: ")
	d.types("\n")
	d.expect("password: ")
	d.types("sesame\n")
	if text := d.expect("Name: "); strings.Contains(text, "sesame") || !strings.Contains(text, "name: ") {
		t.Errorf("a secret is seen, or no problem is: %q", text)
	}
	d.types("Ann\n")
	d.expect(`{"action":"accept","content":{"age":7,"colour":"g","extras":["x","y"],"name":"Ann","news":true,"password":"sesame"}}`)
	d.ends(0)

	d = startDialog(t, 80, "call", "form")
	d.expect("Answer? [yes, no, cancel] ")
	d.types("no\n")
	d.expect(`{"action":"decline"}`)
	d.ends(0)

	d = startDialog(t, 80, "call", "model")
	d.expect("user: Best shelf?")
	d.expect("Answer? [yes, no, cancel] ")
	d.types("y\n")
	d.expect("assistant: ")
	d.types("The first.\n")
	d.expect(`"text":"The first."`)
	d.ends(0)
}

// TestConsoleInterrupt cancels a call, a question and a watch by Ctrl-C. A proxy does not begin at a terminal.
func TestConsoleInterrupt(t *testing.T) {
	t.Parallel() // it waits most of the time
	d := startDialog(t, 80, "call", "wait")
	d.expect("50% waiting")
	d.types("\x03")
	d.expect("the call was cancelled")
	d.expect("mcpgen: cancelled")
	d.ends(1)

	d = startDialog(t, 80, "call", "form")
	d.expect("Answer? [yes, no, cancel] ")
	d.types("\x03")
	d.expect("mcpgen: cancelled")
	d.ends(1)

	d = startDialog(t, 80, "adopt", "-record", "r.json", "-proxy", "stdio")
	d.expect("flag -proxy stdio: want a client that starts it, got a terminal")
	d.ends(2)

	d = startDialog(t, 80, "watch", "-wire", "shop://shelf/1")
	for _, what := range []string{`"resourceSubscriptions":["shop://shelf/1"]`, `"toolsListChanged":true`, `"promptsListChanged":true`, `"resourcesListChanged":true`} {
		d.expect(what)
	}
	d.expect("watching; Ctrl-C ends it")
	d.types("\x03")
	d.ends(0)
}
