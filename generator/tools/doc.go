// Package tools makes tools, prompts and resources from annotated Go functions.
//
// It reads packages with the directives of `mcpgen help directives`, and writes one Go file beside
// the code of each: schemas as constants, decoders that validate, and functions that register
// everything with a server; and the contract with the callers, as JSON.
//
// It exists for the command mcpgen and its tests: its API promises nothing.
package tools
