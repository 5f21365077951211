//go:build unix && !aix && !solaris && !illumos

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// try locks a file, unless it is locked already.
func try(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}
