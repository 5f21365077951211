package skills

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	extension "github.com/mcpgen/mcpgen/mcp/skills"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The front matter of a SKILL.md is YAML between two lines of three hyphens. Both sides must make the same JSON of it,
// whatever their parsers: what versions of YAML read in different ways, such as 0777 or merge keys, is an error. Dates are
// texts, and aliases are replaced by what they stand for.

// The limits of front matter, whose aliases could otherwise stand for any amount of JSON.
const (
	maxFrontmatter = 64 << 10 // bytes, and bytes of the texts of the JSON
	maxNodes       = 10_000   // values and names of the JSON
	maxDepth       = 32
)

// Frontmatter returns the front matter of a SKILL.md.
//
// REQ SKILL-04
func Frontmatter(document []byte) (*extension.SkillFrontmatter, error) {
	text, err := cutFrontmatter(document)
	if err != nil {
		return nil, err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(append([]byte{'\n'}, text...), &root); err != nil { // in place of the first line: errors count lines
		return nil, fmt.Errorf("front matter: %w", err)
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("front matter: want names with values, such as \"name: x\" and \"description: y\"")
	}
	f, err := jsonOf(root.Content[0])
	if err != nil {
		return nil, fmt.Errorf("front matter: %w", err)
	}
	return f, nil
}

// cutFrontmatter returns the text between the first line and the next one that has three hyphens.
func cutFrontmatter(document []byte) ([]byte, error) {
	document = bytes.TrimPrefix(document, []byte("\ufeff"))
	first, rest, _ := bytes.Cut(document, []byte("\n"))
	if !isFence(first) {
		return nil, errors.New("front matter: want --- as the first line")
	}
	for at := 0; at <= min(len(rest), maxFrontmatter); {
		line, _, more := bytes.Cut(rest[at:], []byte("\n"))
		switch {
		case isFence(line):
			return rest[:at], nil
		case !more:
			return nil, errors.New("front matter: want a line --- at its end")
		}
		at += len(line) + 1
	}
	return nil, fmt.Errorf("front matter: want at most %d bytes, and a line --- at its end", maxFrontmatter)
}

func isFence(line []byte) bool { return string(bytes.TrimRight(line, " \t\r")) == "---" }

// jsonOf returns front matter as the JSON of a mapping.
func jsonOf(n *yaml.Node) (*extension.SkillFrontmatter, error) {
	var c checker
	if err := c.check(n, 0); err != nil {
		return nil, err
	}
	var members map[string]any
	if err := n.Decode(&members); err != nil {
		return nil, err
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	f := new(extension.SkillFrontmatter)
	return f, wire.Decode(text, f)
}

// A checker counts what is in the JSON of a value of YAML.
type checker struct{ nodes, bytes int }

// check returns an error if not all readers make the same JSON of a value, or if it is too much. It makes texts of dates.
func (c *checker) check(n *yaml.Node, depth int) error {
	c.nodes++
	switch c.bytes += len(n.Value); {
	case c.nodes > maxNodes:
		return fmt.Errorf("want at most %d values", maxNodes)
	case c.bytes > maxFrontmatter:
		return fmt.Errorf("want texts of at most %d bytes together", maxFrontmatter)
	case depth > maxDepth:
		return fmt.Errorf("line %d: want at most %d levels", n.Line, maxDepth)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.check(n.Alias, depth+1)
	case yaml.ScalarNode:
		return checkScalar(n)
	}
	for i, below := range n.Content {
		isName := n.Kind == yaml.MappingNode && i%2 == 0
		if isName && (below.Kind != yaml.ScalarNode || below.ShortTag() != "!!str") {
			return fmt.Errorf("line %d: want a text as a name; write it in quotes", below.Line)
		}
		if err := c.check(below, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// sameNumber matches a number that is the same for all readers of YAML.
var sameNumber = regexp.MustCompile(`^([-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0x[0-9a-fA-F]+|0o[0-7]+)$`)

// checkScalar checks a value that is neither a list nor an object.
func checkScalar(n *yaml.Node) error {
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!null", "!!bool":
	case "!!timestamp":
		n.Tag = "!!str"
	case "!!int", "!!float":
		if !sameNumber.MatchString(n.Value) {
			return fmt.Errorf("line %d: %s is not the same number for all readers; write it in quotes", n.Line, excerpt.Of(n.Value))
		}
	default:
		return fmt.Errorf("line %d: want a text, a number, true, false or null, got %s", n.Line, excerpt.Of(tag))
	}
	return nil
}

// Compare returns an error that names the first member in which the front matter of a file differs from that of its entry.
//
// REQ SKILL-13
func Compare(entry, file *extension.SkillFrontmatter) error {
	want, err := members(entry)
	if err != nil {
		return err
	}
	got, err := members(file)
	if err != nil {
		return err
	}
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a, listed := want[name]
		b, there := got[name]
		if listed != there || !reflect.DeepEqual(a, b) {
			return fmt.Errorf("front matter: %s of the file is not that of the entry", excerpt.Of(name))
		}
	}
	return nil
}

// members returns front matter as encoding/json decodes it. Numbers are compared as values: 1.0 is 1.
func members(f *extension.SkillFrontmatter) (m map[string]any, err error) {
	text, err := wire.Marshal(wire.Any, f)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &m)
	return m, err
}
