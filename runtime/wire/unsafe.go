package wire

import "unsafe"

// text returns b as a string without copying it. It is what makes decoding into strings that
// alias the input possible; see DecodeAlias for who promises that b never changes.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
