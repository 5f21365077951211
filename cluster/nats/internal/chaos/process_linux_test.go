package chaos

import "syscall"

// dieWithParent has a process killed when the test dies, even a paused one.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
