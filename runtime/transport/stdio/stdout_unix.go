//go:build unix && !solaris

package stdio

import (
	"os"
	"syscall"

	"github.com/mcpgen/mcpgen/runtime/transport/stdio/internal/pipes"
)

// takeStdout returns the original standard output under another descriptor, and replaces descriptor 1 with a pipe.
// It does not change [os.Stdout], which other goroutines may be using.
//
// REQ STDIO-04
func takeStdout() (*os.File, *stray, error) {
	const stdout, stderr = 1, 2
	real, err := pipes.Dup(stdout)
	if err != nil {
		return nil, nil, err
	}
	ends, err := pipes.Pipe()
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
