//go:build !unix

package stdio

import (
	"io"
	"os"
)

// poll returns nil: the system has no such mode.
func poll(*os.File) io.ReadWriteCloser { return nil }

// writesNow returns out, whose writes may have to wait.
func writesNow(out io.WriteCloser) io.WriteCloser { return out }
