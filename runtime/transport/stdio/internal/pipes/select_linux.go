package pipes

import (
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
)

// waiting returns a stream that reads from a file of any kind in blocking mode, and whose Close wakes a waiting
// Read. Read waits in a system call, which blocks its thread, and not in the runtime's poller, so that the goroutine that
// reads a connection need not be found and woken for each request. With the poller a server takes 16 to 24 % more processor
// time for a request, if one or eight are made at a time, and as much as now if 64 are (bench, workload 1b, November 2026).
// With only one processor, waiting returns nil, because the thread would keep it from other goroutines for a while.
func waiting(f *os.File) io.ReadCloser {
	if runtime.GOMAXPROCS(0) == 1 {
		return nil
	}
	w := &waiter{orig: f}
	if control(f, func(fd int) (err error) {
		w.fd, err = Dup(fd)
		return err
	}) != nil {
		return nil
	}
	var err error
	if w.wake, err = Pipe(); err != nil {
		syscall.Close(w.fd)
		return nil
	}
	if max(w.fd, w.wake[0]) >= syscall.FD_SETSIZE {
		w.release()
		return nil
	}
	return w
}

// A waiter waits for its file or for the end of a pipe, whichever comes first.
type waiter struct {
	orig *os.File
	fd   int
	wake [2]int

	mu      sync.Mutex
	reading bool
	closed  bool
}

func (w *waiter) Read(b []byte) (int, error) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return 0, os.ErrClosed
	}
	w.reading = true
	w.mu.Unlock()
	n, err := w.read(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reading = false
	if w.closed {
		w.release()
		return 0, os.ErrClosed
	}
	return n, err
}

func (w *waiter) read(b []byte) (int, error) {
	for {
		var set syscall.FdSet
		add(&set, w.fd)
		add(&set, w.wake[0])
		if _, err := syscall.Select(max(w.fd, w.wake[0])+1, &set, nil, nil, nil); err != nil {
			if err == syscall.EINTR {
				continue
			}
			return 0, os.NewSyscallError("select", err)
		}
		if has(&set, w.wake[0]) {
			return 0, os.ErrClosed
		}
		switch n, err := syscall.Read(w.fd, b); {
		case err == syscall.EINTR || err == syscall.EAGAIN: // others may read the same pipe
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func add(set *syscall.FdSet, fd int) {
	size := syscall.FD_SETSIZE / len(set.Bits)
	set.Bits[fd/size] |= 1 << (fd % size)
}

func has(set *syscall.FdSet, fd int) bool {
	size := syscall.FD_SETSIZE / len(set.Bits)
	return set.Bits[fd/size]&(1<<(fd%size)) != 0
}

func (w *waiter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return os.ErrClosed
	}
	w.closed = true
	if w.reading {
		syscall.Close(w.wake[1]) // wakes the reader, which releases the rest
		w.wake[1] = -1
	} else {
		w.release()
	}
	return w.orig.Close()
}

// release closes the files that are open.
func (w *waiter) release() {
	for _, fd := range []int{w.fd, w.wake[0], w.wake[1]} {
		if fd >= 0 {
			syscall.Close(fd)
		}
	}
}
