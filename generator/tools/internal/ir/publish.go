package ir

import (
	"go/token"
	"go/types"
)

// A Publish is what only a directive can say about how the server of a package is published. Empty fields have defaults,
// which depend on the module.
type Publish struct {
	Name, Image, Remote       string
	Author, License, Category string
	Platforms                 []string // OS/ARCH
	Pos                       token.Position
}

// A Config is the struct that holds the configuration of a program.
type Config struct {
	Go       *types.Named
	Settings []*Setting // in the order of the fields
	Pos      token.Position
}

// A Setting is a field of a Config.
type Setting struct {
	Field            string
	Kind             string // string, bool, int, float64 or duration
	Env, Flag        string // at least one of them is there
	Description      string
	Secret, Required bool
	Default          string // empty if there is none
	Enum             []string
	Pos              token.Position
}
