// Package uuid has the names of the real one.
package uuid

func NewString() string { return "" }

func Parse(s string) string { return s }
