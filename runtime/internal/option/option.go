// Package option has the rules for all options: those that are not given are zero, and of those that limit something, 0 is
// the default, and a negative value is no limit.
package option

import (
	"time"
	"unsafe"
)

// Limit returns the limit that an option sets. No limit is a value so large that nothing reaches it, with
// room to calculate.
func Limit[T int | int64 | time.Duration](option, standard T) T {
	none := T(1) << (8*unsafe.Sizeof(option) - 2)
	switch {
	case option == 0:
		return standard
	case option < 0:
		return none
	}
	return min(option, none)
}

// Forever is the [Limit] of a duration without one.
const Forever time.Duration = 1 << 62

// Of returns the options at p, zero if there are none.
func Of[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// Share returns the percentage that an option sets, at most 100.
func Share(option, standard int) int { return min(Limit(option, standard), 100) }
