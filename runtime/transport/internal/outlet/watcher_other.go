//go:build !linux

package outlet

import "net"

// A watcher notices when clients close connections that nobody reads from. It has a goroutine for each.
type watcher struct{}

// watch makes the watcher call closed once, with the key, when the other end of a connection is closed.
func (watcher) watch(conn net.Conn, key uint64, closed func(key uint64)) {
	go func() {
		readToEnd(conn)
		closed(key)
	}()
}

func (watcher) stop() {}
