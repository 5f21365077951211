//go:build unix && !linux

package chaos

import "syscall"

// dieWithParent does nothing: a process notices by its standard input that the test has died.
func dieWithParent() *syscall.SysProcAttr { return nil }
