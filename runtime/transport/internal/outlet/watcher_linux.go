package outlet

import (
	"crypto/tls"
	"net"
	"os"
	"syscall"
)

// A watcher notices when clients close connections that nobody reads from. It has one goroutine for all TCP
// connections, and one for each other connection. A goroutine for each would take 3.0 KiB, of 6.5 for a session with an open
// stream (bench, workload 5-idle).
type watcher struct {
	epoll *os.File // nil if nothing is watched
	raw   syscall.RawConn
}

// watch makes the watcher call closed once, with the key, when the other end of a connection is closed.
func (w *watcher) watch(conn net.Conn, key uint64, closed func(key uint64)) {
	inner := conn
	if t, ok := conn.(*tls.Conn); ok {
		inner = t.NetConn()
	}
	if c, ok := inner.(*net.TCPConn); ok && w.start(closed) && w.add(c, key) {
		return
	}
	go func() {
		readToEnd(conn)
		closed(key)
	}()
}

// start starts the goroutine, unless it runs already.
func (w *watcher) start(closed func(key uint64)) bool {
	if w.epoll != nil {
		return true
	}
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return false
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
		return false
	}
	epoll := os.NewFile(uintptr(fd), "epoll") // the runtime waits for it as for a connection
	raw, err := epoll.SyscallConn()
	if err != nil {
		epoll.Close()
		return false
	}
	w.epoll, w.raw = epoll, raw
	go wait(raw, closed)
	return true
}

// add watches a connection until it is closed.
func (w *watcher) add(c *net.TCPConn, key uint64) (added bool) {
	conn, err := c.SyscallConn()
	if err != nil {
		return false
	}
	w.raw.Control(func(epoll uintptr) {
		conn.Control(func(fd uintptr) {
			// Keys are never reused, so a late event is not taken for that of another connection.
			e := syscall.EpollEvent{Events: syscall.EPOLLRDHUP | syscall.EPOLLONESHOT, Fd: int32(key), Pad: int32(key >> 32)}
			added = syscall.EpollCtl(int(epoll), syscall.EPOLL_CTL_ADD, int(fd), &e) == nil
		})
	})
	return added
}

// stop ends the goroutine.
func (w *watcher) stop() {
	if w.epoll != nil {
		w.epoll.Close()
		w.epoll, w.raw = nil, nil
	}
}

// wait waits for connections that are closed, until the watcher stops.
func wait(raw syscall.RawConn, closed func(key uint64)) {
	var events [64]syscall.EpollEvent
	for {
		n := 0
		err := raw.Read(func(fd uintptr) bool {
			n, _ = syscall.EpollWait(int(fd), events[:], 0)
			return n > 0
		})
		if err != nil {
			return
		}
		for _, e := range events[:n] {
			closed(uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32)
		}
	}
}
