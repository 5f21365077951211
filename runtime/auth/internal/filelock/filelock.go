// Package filelock locks files, so that processes take turns.
package filelock

import (
	"context"
	"errors"
	"os"
	"time"
)

// errHeld is the error of a lock that is held elsewhere.
var errHeld = errors.New("the lock is held")

// Lock locks a file, which it creates if necessary. It blocks while the lock is held elsewhere, in this process or
// another. The lock ends with the process at the latest. The file remains.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		if err := try(f); err == nil {
			return func() { f.Close() }, nil
		} else if !errors.Is(err, errHeld) {
			f.Close()
			return nil, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		}
	}
}
