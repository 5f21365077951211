//go:build !unix

package pipes

import (
	"io"
	"os"
)

// Poll returns nil: the system has no such mode.
func Poll(*os.File) io.ReadWriteCloser { return nil }

// writesNow returns out, whose writes may have to wait.
func writesNow(out io.WriteCloser) io.WriteCloser { return out }
