package wire

import (
	"math"
	"strconv"
)

// The methods here are for code that `mcpgen tools` generates. The types of the protocol do not need them.

// Uint writes an integer.
func (e *Encoder) Uint(v uint64) { e.buf = strconv.AppendUint(e.buf, v, 10) }

// Float32 writes a number with the digits that a float32 needs. NaN and the infinities are errors.
func (e *Encoder) Float32(v float32) {
	if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
		e.Float(f)
		return
	}
	e.buf = appendFloatOf(e.buf, float64(v), 32)
}

// Quote writes a quotation mark, before and after a number or boolean that is written as a string.
func (e *Encoder) Quote() { e.buf = append(e.buf, '"') }
