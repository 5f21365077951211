package stdio

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// runChild runs a child with that input, and returns what it writes.
func runChild(t *testing.T, name, input string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = childEnviron(name)
	cmd.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %s", err, errs.String())
	}
	return out.String(), errs.String()
}

// REQ STDIO-03, STDIO-11
func TestServer(t *testing.T) {
	stdout, stderr := runChild(t, "echo", "{\"a\":1}\r\n\n{\"b\":2}\n{\"c\":3}")
	if want := "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n"; stdout != want || stderr != "" {
		t.Errorf("wrote %q, stderr %q", stdout, stderr)
	}
}

// REQ STDIO-04, STDIO-06
func TestServerPrints(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{"print", "printed\n"},
		{"buffered", "buffered\n"},
		{"system call", "by a system call\n"},
		{"child", "hello from a child\n"},
		{"much", strings.Repeat("0123456789\n", 10_000)},
	} {
		stdout, stderr := runChild(t, "printing echo", "a\n"+c.input+"\n"+c.input+"\nb\n")
		if want := "a\n" + c.input + "\n" + c.input + "\nb\n"; stdout != want {
			t.Errorf("%s: standard output is %.200q, want %q", c.input, stdout, want)
		}
		if want := c.want + c.want + "printed after the end\n"; stderr != want {
			t.Errorf("%s: standard error is %.300q, want %.300q", c.input, stderr, want)
		}
	}
}

// REQ STDIO-12
func TestServerCloses(t *testing.T) {
	p := start(t, command("closing"))
	hear(t, p, "bye")
	hear(t, p, "error: EOF")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// A server exits soon after the end of its input.
func TestServerExits(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = childEnviron("echo")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, "{}\n")
	io.ReadFull(out, make([]byte, 3))
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
