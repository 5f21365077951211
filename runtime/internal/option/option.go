// Package option has the rules for all options. An option that is not given is zero. For options that limit
// something, 0 means the default, and a negative value no limit.
package option

import (
	"time"
	"unsafe"
)

// Limit returns the limit that an option sets. If there is no limit, it returns a value that is never reached, but
// small enough to calculate with.
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

// Forever is the [Limit] of a duration that has no limit.
const Forever time.Duration = 1 << 62

// Of returns the options at p, zero if there are none.
func Of[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
