// Package ports has servers that were written for other libraries, as annotated functions. Each folder is
// one server or a toolset of one; its test compares the port with the original. Only github has no original: it is a
// server over the types of a library of others, go-github. README.md lists them.
package ports
