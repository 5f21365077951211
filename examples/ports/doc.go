// Package ports has servers that were written for other libraries, as annotated functions. Each folder is
// one server; its test plays the same transcript to the original and to the port and compares what they
// answer.
package ports
