// Package ports has servers that were written for other libraries, as annotated functions. Each folder is
// one server; its test plays the same transcript to the original and to the port and compares what they
// answer. Only github has no original: it is a server over the types of a library of others, go-github.
package ports
