package wire

import "unsafe"

// text returns b as a string without copying it, so that decoded strings share the memory of the input. The caller of
// [DecodeAlias] promises that b does not change.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
