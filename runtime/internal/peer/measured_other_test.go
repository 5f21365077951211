//go:build !unix

package peer_test

import (
	"fmt"
	"os"
	"runtime"
)

// measured is a server that reports its allocations when it ends. Its CPU time is not known here.
func measured(serve func()) func() {
	return func() {
		serve()
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		fmt.Fprintln(os.Stderr, 0, mem.Mallocs)
	}
}
