//go:build unix && !solaris

package stdio

import (
	"os"
	"syscall"

	"github.com/mcpgen/mcpgen/runtime/transport/stdio/internal/pipes"
)

// takeStdout returns the original standard output under another descriptor, and makes descriptor 1 standard error's.
// It does not change [os.Stdout], which other goroutines may be using.
//
// REQ STDIO-04
func takeStdout() (*os.File, error) {
	const stdout, stderr = 1, 2
	real, err := pipes.Dup(stdout)
	if err != nil {
		return nil, err
	}
	if err := dup2(stderr, stdout); err != nil {
		syscall.Close(real)
		return nil, os.NewSyscallError("dup2", err)
	}
	return os.NewFile(uintptr(real), "standard output"), nil
}
