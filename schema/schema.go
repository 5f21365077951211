// Package schema holds the TypeScript schema of every published revision of the Model Context
// Protocol, one folder per revision, and those of its extensions, one folder each inside ext.
//
// The declarations (names, members, their order, optionality and types, and the tags that tools
// read) are those of the official schema; the comments are this project's own. Each file stands
// alone: nothing in it refers to another revision. The schema of an extension imports from that of the
// revision that it extends.
//
// It exists for the command mcpgen and its tests: its API promises nothing.
package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// FileName is the name of the schema inside a revision's folder.
const FileName = "schema.ts"

//go:embed */schema.ts ext/*/schema.ts
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

// Header returns the lines with which the schema of a revision begins.
func Header(revision string) string {
	return "// Model Context Protocol, revision " + revision + `.
//
// The declarations follow the official schema of this revision: every name, member, type and
// tag, in its order. The comments are this project's own.

`
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

// An Extension is an extension of the protocol.
type Extension struct {
	// Name is the name of its folder inside ext.
	Name string

	// ID is the identifier by which clients and servers declare it.
	ID string

	// Revision is the oldest revision that it extends, from whose schema its own imports.
	Revision string

	// Official is the SHA-256 digest of the official file, as that of a [Revision].
	Official string

	// Repository is where the official file is, and File its path there.
	Repository, File string

	// Sides says who is the client and who the server, where the names do not. It may be empty.
	Sides string
}

// Extensions returns all extensions. The slice is the caller's.
func Extensions() []Extension {
	return []Extension{
		{
			Name: "tasks", ID: "io.modelcontextprotocol/tasks", Revision: "2026-07-28",
			Official:   "0df4967d66c97a798d362c11053cef5da9c5e31c7e1b95b8ed7590293d616f80",
			Repository: "modelcontextprotocol/ext-tasks", File: "schema/draft/schema.ts",
		},
		{
			Name: "ui", ID: "io.modelcontextprotocol/ui", Revision: "2025-06-18",
			Official:   "f45e009e32cbf9122518a91e00a20b5d41c84413b4d1b80d2a26ebe2704bd06c",
			Repository: "modelcontextprotocol/ext-apps", File: "src/spec.types.ts",
			Sides: "The client is an app, and the server the host that shows it.",
		},
	}
}

// ExtensionNamed returns the extension of that name. The error for a name that is not in [Extensions]
// lists those that are.
func ExtensionNamed(name string) (Extension, error) {
	var known []string
	for _, x := range Extensions() {
		if x.Name == name {
			return x, nil
		}
		known = append(known, x.Name)
	}
	return Extension{}, fmt.Errorf("schema: no extension %q; known are %s", name, strings.Join(known, ", "))
}

// Path returns the name of the extension's schema among the [Files].
func (x Extension) Path() string { return "ext/" + x.Name + "/" + FileName }

// Files returns all schemas by their paths, which are those in this package's folder. An import in the
// schema of an extension names one of them.
func Files() fs.ReadFileFS { return files }

// Header returns the lines with which the schema of the extension begins.
func (x Extension) Header() string {
	return "// The " + x.Name + " extension of the Model Context Protocol, " + x.ID + `.
//
// The declarations follow the official schema of the extension: every name, member, type and
// tag, in its order. The comments are this project's own.

`
}
