// Package option has the rule for all options that limit something: 0 is the default, and a negative value is
// no limit.
package option

import (
	"time"
	"unsafe"
)

// Limit returns the limit that an option sets. No limit is a value so large that nothing reaches it, with
// room to calculate.
func Limit[T int | int64 | time.Duration](option, standard T) T {
	switch {
	case option == 0:
		return standard
	case option < 0:
		return T(1) << (8*unsafe.Sizeof(option) - 2)
	}
	return option
}

// Share returns the percentage that an option sets, at most 100.
func Share(option, standard int) int { return min(Limit(option, standard), 100) }
