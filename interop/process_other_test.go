//go:build !unix

package interop

import (
	"context"
	"os/exec"
	"time"
)

// process returns a command that is killed if ctx ends. What it started ends when its stdin does.
func process(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}
