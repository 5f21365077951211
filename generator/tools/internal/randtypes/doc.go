// Package randtypes tests generated code with random Go types: each becomes a tool that returns its
// argument, and package check compares what it reads and writes with encoding/json and with its JSON
// Schema. What contracts say about edits of the types is compared with values that show a break.
package randtypes
