//go:build !unix

package stdio

import "os/exec"

func ownGroup(*exec.Cmd) {}

// terminate does nothing: there is no request to terminate that any program understands.
func terminate(*exec.Cmd) bool { return false }

func kill(cmd *exec.Cmd) bool { return cmd.Process.Kill() == nil }
