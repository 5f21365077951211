//go:build unix

package wire_test

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the processor time that this process has taken. Unlike the time of a clock, it
// does not grow while other processes have the processors.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
