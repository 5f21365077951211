// Package ports finds ports for servers that tests start and restart at addresses that clients know in advance.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// The ports are none of those that systems choose themselves: between two runs of a server, another program could get such
// a port, even a client that tries to connect to it.
const from, to = 12 << 10, 32 << 10

// Free returns ports of loopback on which nobody listens.
func Free(n int) ([]int, error) {
	var free []int
	var last error
	for range 1000 {
		port := from + rand.IntN(to-from)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			last = err
			continue
		}
		defer l.Close() // once all are known, so that they differ
		if free = append(free, port); len(free) == n {
			return free, nil
		}
	}
	return nil, fmt.Errorf("ports: want %d that are free, got %d: %w", n, len(free), last)
}
