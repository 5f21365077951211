// Package skills has the skills of this project, for models that work with it: package skillserver can serve them, and the
// command mcpgen skill does. It exists for that command: its API promises nothing.
package skills

import "embed"

// Files has a folder for each skill.
//
//go:embed */SKILL.md
var Files embed.FS
