package args

// Each file that `mcpgen tools` generates refers to the constant of the version of generated code that it is.
// This package has the constants of the versions that it supports, so that files of all others fail to
// compile: "undefined: args.GeneratedForVersion4_RunGoGenerate".
const (
	GeneratedForVersion6_RunGoGenerate = true
)
