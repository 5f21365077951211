package chaos

import "syscall"

// dieWithParent has a process killed when the test dies, also one that is paused.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
