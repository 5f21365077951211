// Package randtypes tests generated code with random Go types: each becomes a tool that returns its
// argument, and package check compares what it reads and writes with encoding/json and with its JSON
// Schema.
package randtypes
