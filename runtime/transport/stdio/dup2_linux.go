package stdio

import "syscall"

// dup2 makes a second descriptor of an open file; children inherit it. Not all Linux systems have a system call of
// that name.
func dup2(old, second int) error { return syscall.Dup3(old, second, 0) }
