// Package mcpgen is the root of a module that turns the Model Context Protocol's TypeScript
// schema into Go. It holds no code: see
//
//   - cmd/mcpgen, the command
//   - generator/tools, the way from annotated Go functions to tools, and runtime/args, which they stand on
//   - mcp, the generated package for all revisions of the protocol, and runtime/wire, which it stands on;
//     mcp/tasks, that for the tasks extension
//   - schema, parser, model and generator/bindings, the way from a schema to a package
//   - golden, a generated package for each single revision, and the tests of them all
//   - runtime/server, runtime/client, runtime/transport and runtime/mcptest, the runtime
//   - examples that use it
//   - docs, the requirements of the protocol and the tests that show them
//
// go generate, run here, regenerates everything in the module that is generated.
package mcpgen

//go:generate go run ./cmd/mcpgen bindings
//go:generate go run ./cmd/mcpgen bindings -extension tasks -out mcp/tasks
//go:generate go run ./cmd/mcpgen bindings -revision 2024-11-05 -package mcp20241105 -out golden/mcp20241105
//go:generate go run ./cmd/mcpgen bindings -revision 2025-03-26 -package mcp20250326 -out golden/mcp20250326
//go:generate go run ./cmd/mcpgen bindings -revision 2025-06-18 -package mcp20250618 -out golden/mcp20250618
//go:generate go run ./cmd/mcpgen bindings -revision 2025-11-25 -package mcp20251125 -out golden/mcp20251125
//go:generate go run ./cmd/mcpgen bindings -revision 2026-07-28 -package mcp20260728 -out golden/mcp20260728
//go:generate go run ./golden/registry golden/registry_test.go
