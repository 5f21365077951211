//go:build unix && !linux

package chaos

import "syscall"

// dieWithParent does nothing: a process notices that the test has died by the end of its standard input.
func dieWithParent() *syscall.SysProcAttr { return nil }
