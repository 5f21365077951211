// Package schema holds the TypeScript schema of every published revision of the Model Context
// Protocol, one folder per revision.
//
// The declarations (names, members, their order, optionality and types, and the tags that tools
// read) are those of the official schema; the comments are this project's own. Each file stands
// alone: nothing in it refers to another revision.
package schema

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// FileName is the name of the schema inside a revision's folder.
const FileName = "schema.ts"

//go:embed */schema.ts
var files embed.FS

// A Revision is one published revision of the protocol.
type Revision struct {
	// Name is the revision's date, which is also the name of its folder: "2026-07-28".
	Name string

	// Official is the SHA-256 digest, in hexadecimal, of the official schema.ts against which the
	// declarations were checked. It is not the digest of [Source], whose comments differ.
	Official string
}

// Revisions returns all revisions, oldest first. The slice is the caller's.
func Revisions() []Revision {
	return []Revision{
		{"2024-11-05", "8e87348b6c1a9de1ec7ac136f407b687521bcdeb357adedbf5367bfc19c18d38"},
		{"2025-03-26", "bdc457208cb1b49061f3fbbae24144b7dbae282c746d82aa689ddd98329743e7"},
		{"2025-06-18", "7d7f4cc6f3adb76e3fd5e1eee6bab8b1e183cfaf719da66d2aa5661737ca9539"},
		{"2025-11-25", "e74b56e73b2e37bdb595f74ba22e428ad7f07aa3519355ba661d681298ed38ac"},
		{"2026-07-28", "742750af0bb8c716e7030c4977c992b55d1adc4407e9e66997db5846baedc2cd"},
	}
}

// Source returns the schema of the revision of that name. The error for a name that is not in
// [Revisions] lists those that are.
func Source(revision string) ([]byte, error) {
	var known []string
	for _, r := range Revisions() {
		known = append(known, r.Name)
	}
	if !slices.Contains(known, revision) {
		return nil, fmt.Errorf("schema: no revision %q; known are %s", revision, strings.Join(known, ", "))
	}
	return files.ReadFile(revision + "/" + FileName)
}
