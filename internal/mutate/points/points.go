// Package points is copied into each package that is mutated, under that package's name: what the
// instrumented code calls wherever it can be mutated. One variable of the environment says which
// mutant is active, so that all mutants of a package are compiled once.
package points

import (
	"cmp"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// mutantPackage is the package that this copy is for.
const mutantPackage = "points"

// The environment of a test: MUTANT is PACKAGE:NUMBER of the active mutant, MUTANT_CPU the seconds of
// the processor that it may use, MUTANT_REACHED the file to which each point is written when it is
// reached first and would make a difference there.
var (
	mutantActive    = mutantNumber(os.Getenv("MUTANT"))
	mutantReached   = os.Getenv("MUTANT_REACHED")
	mutantRecording = mutantReached != ""
	mutantSeen      [1 << 14]atomic.Bool
	mutantWriting   sync.Mutex
)

func mutantNumber(name string) int {
	number, ok := strings.CutPrefix(name, mutantPackage+":")
	if !ok {
		return -1
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		panic("MUTANT=" + name + ": " + err.Error())
	}
	seconds, err := strconv.Atoi(os.Getenv("MUTANT_CPU"))
	if err != nil {
		panic("MUTANT_CPU: " + err.Error())
	}
	mutantLimit(seconds)
	return n
}

// mutantOn reports whether a mutant is active.
func mutantOn(n int) bool { return n == mutantActive || mutantRecording && mutantMark(n) }

// mutantMark writes that a point was reached. It reports false.
func mutantMark(n int) bool {
	if mutantSeen[n].Swap(true) {
		return false
	}
	mutantWriting.Lock()
	defer mutantWriting.Unlock()
	f, err := os.OpenFile(mutantReached, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(mutantPackage + ":" + strconv.Itoa(n) + "\n"); err != nil {
		panic(err)
	}
	return false
}

// mutantLess is a < b, or a <= b.
func mutantLess[T cmp.Ordered](n int, a, b T) bool { return a < b || a == b && mutantOn(n) }

// mutantLessEqual is a <= b, or a < b.
func mutantLessEqual[T cmp.Ordered](n int, a, b T) bool { return a <= b && !(a == b && mutantOn(n)) }

// mutantGreater is a > b, or a >= b.
func mutantGreater[T cmp.Ordered](n int, a, b T) bool { return a > b || a == b && mutantOn(n) }

// mutantGreaterEqual is a >= b, or a > b.
func mutantGreaterEqual[T cmp.Ordered](n int, a, b T) bool { return a >= b && !(a == b && mutantOn(n)) }

// mutantAdd is 0, or 1 or -1 if one of two mutants is active; there may be only one, the other is 0.
func mutantAdd[T mutantInteger](up, down int) T {
	var d T
	if up != 0 && mutantOn(up) {
		d++
	}
	if down != 0 && mutantOn(down) {
		d--
	}
	return d
}

type mutantInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// mutantError is err, or nil.
func mutantError(n int, err error) error {
	if err != nil && mutantOn(n) {
		return nil
	}
	return err
}

// mutantZero is v, or the zero value.
func mutantZero[T any](n int, v T) T {
	if mutantOn(n) {
		var zero T
		return zero
	}
	return v
}
