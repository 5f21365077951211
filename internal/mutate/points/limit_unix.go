//go:build unix

package points

import "syscall"

// mutantLimit bounds what a mutant may use that allocates or loops without end.
func mutantLimit(seconds int) {
	const memory = 4 << 30
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: memory, Max: memory})
	var cpu syscall.Rlimit // whose members differ by system
	for range seconds {
		cpu.Cur++
		cpu.Max++
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &cpu)
}
