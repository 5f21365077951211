//go:build unix && !linux && !solaris

package stdio

import "syscall"

// dup2 makes a second descriptor of an open file; children inherit it.
func dup2(old, second int) error { return syscall.Dup2(old, second) }
