//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// endWithGroup lets a command end with all that it has started when its context does.
func endWithGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
