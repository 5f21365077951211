//go:build !unix

package stdio

import "os/exec"

func ownGroup(*exec.Cmd) {}

// terminate does nothing: the system has no request to terminate that all programs understand.
func terminate(*exec.Cmd) bool { return false }

func kill(cmd *exec.Cmd) bool { return cmd.Process.Kill() == nil }
