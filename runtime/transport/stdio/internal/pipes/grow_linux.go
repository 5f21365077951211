package pipes

import "syscall"

// growPipe makes a pipe hold 1 MiB, if the system allows that, so that a long message is written and read at once:
// with a pipe of 64 KiB, both sides wait for each other in turns. Only unread data takes memory.
func growPipe(fd int) {
	const setPipeSize = 1031 // F_SETPIPE_SZ
	syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), setPipeSize, 1<<20)
}
