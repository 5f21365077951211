//go:build !unix

package stdio

import (
	"io"
	"os"
)

// poll returns nil: there is no such mode.
func poll(*os.File) io.ReadWriteCloser { return nil }

// writesNow returns out: a write may always have to wait.
func writesNow(out io.WriteCloser) io.WriteCloser { return out }
