//go:build unix

package peer_test

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// measured is a server that reports its CPU time and allocations when it ends.
func measured(serve func()) func() {
	return func() {
		serve()
		var usage syscall.Rusage
		var mem runtime.MemStats
		syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
		runtime.ReadMemStats(&mem)
		fmt.Fprintln(os.Stderr, usage.Utime.Nano()+usage.Stime.Nano(), mem.Mallocs)
	}
}
