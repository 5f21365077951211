//go:build unix

package stdio

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a process group, so that the processes that it starts can be ended with
// it: many servers are started by a script.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(cmd *exec.Cmd) bool { return sendSignal(cmd, syscall.SIGTERM) }

func kill(cmd *exec.Cmd) bool { return sendSignal(cmd, syscall.SIGKILL) }

func sendSignal(cmd *exec.Cmd, s syscall.Signal) bool {
	if attr := cmd.SysProcAttr; attr != nil && attr.Setpgid && attr.Pgid == 0 {
		return syscall.Kill(-cmd.Process.Pid, s) == nil
	}
	return cmd.Process.Signal(s) == nil
}
