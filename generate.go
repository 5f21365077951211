// Package mcpgen is the root of a module that turns the Model Context Protocol's TypeScript
// schema into Go. It holds no code: see
//
//   - cmd/mcpgen, the command
//   - generator/tools, the way from annotated Go functions to tools, and runtime/args, which they build on
//   - mcp, the generated package for all revisions of the protocol, and runtime/wire, which it builds on;
//     mcp/tasks, mcp/skills and mcp/ui, those for the extensions
//   - schema, parser, model and generator/bindings, the way from a schema to a package
//   - golden, generated packages for the tests: one for each single revision, one with every kind of
//     type, and those of annotated functions
//   - runtime/server, runtime/client, runtime/transport and runtime/mcptest, the runtime
//   - skills, what models that work with mcpgen read
//   - examples that use it
//   - docs, the requirements of the protocol and the tests that cover them
//
// go generate ./..., run here, regenerates all generated code of this module. The module
// examples/notes has generated code of its own.
package mcpgen

//go:generate go run ./cmd/mcpgen bindings
//go:generate go run ./cmd/mcpgen bindings -extension tasks -out mcp/tasks
//go:generate go run ./cmd/mcpgen bindings -extension io.modelcontextprotocol/skills=mcp/skills/schema.ts -out mcp/skills
//go:generate go run ./cmd/mcpgen bindings -extension ui -out mcp/ui
//go:generate go run ./cmd/mcpgen bindings -revision 2024-11-05 -package mcp20241105 -out golden/mcp20241105
//go:generate go run ./cmd/mcpgen bindings -revision 2025-03-26 -package mcp20250326 -out golden/mcp20250326
//go:generate go run ./cmd/mcpgen bindings -revision 2025-06-18 -package mcp20250618 -out golden/mcp20250618
//go:generate go run ./cmd/mcpgen bindings -revision 2025-11-25 -package mcp20251125 -out golden/mcp20251125
//go:generate go run ./cmd/mcpgen bindings -revision 2026-07-28 -package mcp20260728 -out golden/mcp20260728
//go:generate go run ./cmd/mcpgen bindings -schema golden/kinds/schema/2001-01-01.ts@2001-01-01 -schema golden/kinds/schema/2002-02-02.ts@2002-02-02 -package kinds -out golden/kinds
//go:generate go run ./golden/registry golden/registry_test.go
//go:generate go run ./internal/skill skills/mcpgen/SKILL.md
//go:generate go run ./internal/api docs/api.txt
//go:generate go run ./internal/size docs/architecture.md
//go:generate go run ./internal/report docs/generated-sdk.md
//go:generate go run ./internal/report docs/revision-matrix.md
