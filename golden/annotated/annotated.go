// Package annotated has a function for every type, constraint, result and directive that mcpgen tools
// knows. Most of its tools give back what they are given, so that tests see both what is read and
// what is written. They are strict where the test of the schemas needs them to be: see
// TestSchemas.
//
//mcp:server name=annotated version=1.0.0 "title=Annotated functions"
//mcp:desc Most tools give back what they are given.
package annotated

//go:generate go tool mcpgen tools
