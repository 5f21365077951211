//go:build unix

package pipes

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Poll returns the same pipe or socket in non-blocking mode, nil if f is something else. It leaves files of other
// kinds alone, because all processes that have a file open, such as a terminal, share its mode. Closing restores
// the mode.
func Poll(f *os.File) io.ReadWriteCloser {
	info, err := f.Stat()
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return nil
	}
	fd := -1
	if err := control(f, func(old int) (err error) {
		fd, err = Dup(old)
		return err
	}); err != nil {
		return nil
	}
	if syscall.SetNonblock(fd, true) != nil {
		syscall.Close(fd)
		return nil
	}
	return &polled{os.NewFile(uintptr(fd), f.Name()), f}
}

// A polled file is a second handle of orig.
type polled struct {
	*os.File
	orig *os.File
}

func (p *polled) Close() error {
	err := p.File.Close()
	// Not earlier: a write in blocking mode cannot be woken.
	restored := control(p.orig, func(fd int) error { return syscall.SetNonblock(fd, false) })
	return errors.Join(err, restored, p.orig.Close())
}

// Dup duplicates a descriptor; children do not inherit the copy.
func Dup(old int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(old)
	if err != nil {
		return -1, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(fd)
	return fd, nil
}

// control calls op with the descriptor of f.
func control(f *os.File, op func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	if err := raw.Control(func(fd uintptr) { result = op(int(fd)) }); err != nil {
		return err
	}
	return result
}

// writesNow makes a [NowWriter] of a file in non-blocking mode.
func writesNow(out io.WriteCloser) io.WriteCloser {
	var f *os.File
	switch o := out.(type) {
	case *os.File:
		f = o
	case *polled:
		f = o.File
	default:
		return out
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return out
	}
	w := &trying{WriteCloser: out, raw: raw}
	w.once = w.try
	return w
}

// A trying writer writes by a single system call. It is used by one goroutine at a time.
type trying struct {
	io.WriteCloser
	raw  syscall.RawConn
	once func(fd uintptr) bool // the method try as a value, which is made only once

	b   []byte
	n   int
	err error

	grown bool // growPipe has been called
}

func (t *trying) WriteNow(b []byte) (int, error) {
	t.b, t.n, t.err = b, 0, nil
	err := t.raw.Write(t.once)
	t.b = nil
	if err == nil {
		err = t.err
	}
	return t.n, err
}

// try writes as much of b as the pipe takes at once, and makes the pipe larger, once, if that is not all. It always returns
// true: false would make the caller wait.
func (t *trying) try(fd uintptr) (done bool) {
	for {
		n, err := syscall.Write(int(fd), t.b)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
		case err != nil:
			t.err = os.NewSyscallError("write", err)
		default:
			t.n += n
			if n < len(t.b) && !t.grown {
				t.grown = true
				growPipe(int(fd))
				t.b = t.b[n:]
				continue
			}
		}
		return true
	}
}

// Pipe makes a pipe that children do not inherit.
func Pipe() (ends [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(ends[:]); err != nil {
		return ends, os.NewSyscallError("pipe", err)
	}
	syscall.CloseOnExec(ends[0])
	syscall.CloseOnExec(ends[1])
	return ends, nil
}
