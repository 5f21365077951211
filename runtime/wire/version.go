package wire

// Each file that `mcpgen bindings` generates refers to the constant of the version of generated code that it
// is. This package has the constants of the versions that it supports, so that files of all others fail to
// compile: "undefined: wire.GeneratedForVersion1_RunGoGenerate".
const (
	GeneratedForVersion2_RunGoGenerate = true
)
