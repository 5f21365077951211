//go:build unix

package pipes_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio/internal/pipes"
)

// blocking returns a pipe in blocking mode, as standard streams usually are.
func blocking(t *testing.T) (r, w *os.File) {
	t.Helper()
	ends, err := pipes.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w = os.NewFile(uintptr(ends[0]), "r"), os.NewFile(uintptr(ends[1]), "w")
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// isBlocking reports whether writes to a pipe wait.
func isBlocking(t *testing.T, f *os.File) bool {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var flags uintptr
	raw.Control(func(fd uintptr) { flags, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0) })
	return flags&syscall.O_NONBLOCK == 0
}

var readers = map[string]func(*os.File) io.ReadCloser{
	"wakeable": func(f *os.File) io.ReadCloser { return pipes.Wakeable(f) },
	"polled":   func(f *os.File) io.ReadCloser { return pipes.Poll(f) },
	"pump":     pipes.NewPump,
}

// What is written arrives, in pieces of whatever size, and then the end.
func TestRead(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789"), 20_000)
	for name, open := range readers {
		t.Run(name, func(t *testing.T) {
			testenv.NoGoroutinesLeft(t)
			r, w := blocking(t)
			in := open(r)
			go func() {
				w.Write(want)
				w.Close()
			}()
			var got []byte
			buf := make([]byte, 777)
			for {
				n, err := in.Read(buf)
				got = append(got, buf[:n]...)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes arrived, want %d", len(got), len(want))
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
			if n, err := in.Read(buf); n != 0 || !errors.Is(err, os.ErrClosed) {
				t.Errorf("after Close: got %d, %v", n, err)
			}
			in.Close()
			if _, err := r.Stat(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("the file is open: %v", err)
			}
		})
	}
}

// Close wakes a reader, whether it already waits or is about to, and nothing stays open.
func TestCloseWakes(t *testing.T) {
	for name, open := range readers {
		if name == "pump" {
			continue // whose read ends with the other side
		}
		t.Run(name, func(t *testing.T) {
			testenv.NoGoroutinesLeft(t)
			r, w := blocking(t)
			free := next(t)
			r.Close()
			w.Close()
			for range 200 {
				r, w := blocking(t)
				in := open(r)
				read := make(chan error)
				buf := make([]byte, 10)
				go func() {
					for {
						n, err := in.Read(buf)
						if n != 1 || err != nil {
							read <- err
							return
						}
						read <- nil
					}
				}()
				io.WriteString(w, "a")
				if err := <-read; err != nil {
					t.Fatal(err)
				}
				runtime.Gosched()
				if err := in.Close(); err != nil {
					t.Fatal(err)
				}
				if err := <-read; !errors.Is(err, os.ErrClosed) {
					t.Fatalf("got %v", err)
				}
				w.Close()
			}
			if n := next(t); n > free {
				t.Errorf("the next file has the number %d, want at most %d", n, free)
			}
		})
	}
}

// next returns the number that the next file would have.
func next(t *testing.T) int {
	t.Helper()
	fd, err := pipes.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.Close(fd)
	return fd
}

// A pump leaves a reader when it is closed, although the file's read goes on.
func TestPumpLeaves(t *testing.T) {
	r, w := blocking(t)
	in := pipes.NewPump(r)
	read := make(chan error)
	go func() {
		_, err := in.Read(make([]byte, 1))
		read <- err
	}()
	closed := make(chan error)
	go func() { closed <- in.Close() }()
	if err := <-read; !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
	w.Close() // ends the read of the file
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := in.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

// What wakes readers by itself is left as it is, and files of any kind can be read.
func TestWakeable(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, in := range []io.ReadCloser{r, io.NopCloser(strings.NewReader("a"))} {
		if got := pipes.Wakeable(in); got != in {
			t.Errorf("%T became %T", in, got)
		}
	}
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if p := pipes.Poll(f); p != nil {
		t.Error("a file is polled, whose mode others share")
	}
	in := pipes.Wakeable(f)
	defer in.Close()
	if got, err := io.ReadAll(in); err != nil || string(got) != "text" {
		t.Errorf("got %q, %v", got, err)
	}
	f, err = os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if p := pipes.Poll(f); p != nil {
		t.Error("a closed file is polled")
	}
}

// A quick stream writes what there is room for, and Close gives the pipe its mode back.
func TestQuick(t *testing.T) {
	for name, pair := range map[string]func(t *testing.T) (r, w *os.File){
		"blocking": blocking,
		"polled": func(t *testing.T) (r, w *os.File) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			return r, w
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := pair(t)
			defer r.Close()
			other, err := pipes.Dup(fd(t, w)) // of the same pipe, as that of another process
			if err != nil {
				t.Fatal(err)
			}
			same := os.NewFile(uintptr(other), "same")
			defer same.Close()
			out := pipes.Quick(w)
			now, ok := out.(pipes.NowWriter)
			if !ok {
				t.Fatalf("%T is no NowWriter", out)
			}
			data := bytes.Repeat([]byte("0123456789"), 300_000)
			written := 0
			for {
				n, err := now.WriteNow(data[written:])
				if err != nil {
					t.Fatal(err)
				}
				if written += n; n == 0 {
					break
				}
			}
			if written == 0 || written == len(data) {
				t.Fatalf("%d bytes were written at once", written)
			}
			got := make([]byte, written)
			if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, data[:written]) {
				t.Errorf("%v, or something else arrived", err)
			}
			if n, err := now.WriteNow([]byte("more")); n != 4 || err != nil {
				t.Errorf("when there is room again: %d, %v", n, err)
			}
			r.Close()
			if n, err := now.WriteNow([]byte("more")); n != 0 || !errors.Is(err, syscall.EPIPE) || !strings.HasPrefix(err.Error(), "write: ") {
				t.Errorf("nobody reads: got %d, %v", n, err)
			}
			if name == "blocking" && isBlocking(t, same) {
				t.Error("writes wait")
			}
			if err := out.Close(); err != nil {
				t.Error(err)
			}
			if name == "blocking" && !isBlocking(t, same) {
				t.Error("the pipe does not have its mode again")
			}
			if _, err := now.WriteNow([]byte("more")); err == nil {
				t.Error("wrote to a closed file")
			}
			if _, err := w.Stat(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("the file is open: %v", err)
			}
		})
	}
}

func fd(t *testing.T, f *os.File) (n int) {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) { n = int(fd) })
	return n
}

// Where nothing can be done, a stream stays what it is.
func TestQuickLeaves(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if out := pipes.Quick(f); out != io.WriteCloser(f) {
		t.Errorf("a file became %T", out)
	}
	_, w := io.Pipe()
	if out := pipes.Quick(w); out != io.WriteCloser(w) {
		t.Errorf("a pipe in memory became %T", out)
	}
}

// No child inherits what is made here.
func TestCloseOnExec(t *testing.T) {
	r, _ := blocking(t)
	n, err := pipes.Dup(fd(t, r))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(n)
	for _, n := range []int{fd(t, r), n} {
		if flags, _, _ := syscall.Syscall(syscall.SYS_FCNTL, uintptr(n), syscall.F_GETFD, 0); flags&syscall.FD_CLOEXEC == 0 {
			t.Errorf("children inherit %d", n)
		}
	}
	if n, err := pipes.Dup(-1); n != -1 || !errors.Is(err, syscall.EBADF) {
		t.Errorf("got %d, %v", n, err)
	}
}
