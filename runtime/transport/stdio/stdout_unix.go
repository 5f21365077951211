//go:build unix && !solaris

package stdio

import (
	"os"
	"syscall"
)

// takeStdout returns the original standard output under another descriptor, and replaces descriptor 1 with a pipe.
// It does not change [os.Stdout], which other goroutines may be using.
//
// REQ STDIO-04
func takeStdout() (*os.File, *stray, error) {
	const stdout, stderr = 1, 2
	real, err := dup(stdout)
	if err != nil {
		return nil, nil, err
	}
	ends, err := pipe()
	if err != nil {
		syscall.Close(real)
		return nil, nil, err
	}
	// The end for printing stays in blocking mode, as programs expect of standard output.
	err = dup2(ends[1], stdout)
	syscall.Close(ends[1])
	if err == nil {
		err = syscall.SetNonblock(ends[0], true)
	}
	if err != nil {
		syscall.Close(real)
		syscall.Close(ends[0])
		return nil, nil, os.NewSyscallError("dup2", err)
	}
	s := &stray{
		output:  os.NewFile(uintptr(ends[0]), "stray output"),
		release: func() { dup2(stderr, stdout) },
	}
	return os.NewFile(uintptr(real), "standard output"), s, nil
}

// pipe makes a pipe that children do not inherit.
func pipe() (ends [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(ends[:]); err != nil {
		return ends, os.NewSyscallError("pipe", err)
	}
	syscall.CloseOnExec(ends[0])
	syscall.CloseOnExec(ends[1])
	return ends, nil
}
