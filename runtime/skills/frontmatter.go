package skills

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	extension "github.com/mcpgen/mcpgen/mcp/skills"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The front matter of a SKILL.md is YAML between two lines of three hyphens. Both sides must make the same JSON of it,
// whatever their parsers: what versions of YAML read in different ways, such as 0777 or merge keys, is an error. Dates are
// texts, numbers keep their digits, and aliases are replaced by what they stand for.

// The limits of front matter, whose aliases could otherwise stand for any amount of JSON.
const (
	maxFrontmatter = 64 << 10 // bytes
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
	var c converter
	if err := c.value(root.Content[0], 0); err != nil {
		return nil, fmt.Errorf("front matter: %w", err)
	}
	f := new(extension.SkillFrontmatter)
	if err := wire.Decode(c.json, f); err != nil {
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

// A converter makes JSON of YAML.
type converter struct {
	json  wire.Raw
	nodes int
}

// value appends a value.
func (c *converter) value(n *yaml.Node, depth int) error {
	switch c.nodes++; {
	case c.nodes > maxNodes:
		return fmt.Errorf("want at most %d values", maxNodes)
	case depth > maxDepth:
		return fmt.Errorf("line %d: want at most %d levels", n.Line, maxDepth)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.value(n.Alias, depth+1)
	case yaml.MappingNode:
		return c.mapping(n, depth)
	case yaml.SequenceNode:
		c.json = append(c.json, '[')
		for i, item := range n.Content {
			if i > 0 {
				c.json = append(c.json, ',')
			}
			if err := c.value(item, depth+1); err != nil {
				return err
			}
		}
		c.json = append(c.json, ']')
		return nil
	}
	return c.scalar(n)
}

func (c *converter) mapping(n *yaml.Node, depth int) error {
	seen := map[string]bool{}
	c.json = append(c.json, '{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str":
			return fmt.Errorf("line %d: want a text as a name; write it in quotes", key.Line)
		case seen[key.Value]:
			return fmt.Errorf("line %d: %q is given twice", key.Line, excerpt.Of(key.Value))
		}
		seen[key.Value] = true
		if i > 0 {
			c.json = append(c.json, ',')
		}
		c.nodes++
		c.json = append(wire.AppendString(c.json, key.Value), ':')
		if err := c.value(n.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	c.json = append(c.json, '}')
	return nil
}

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	otherBase  = regexp.MustCompile(`^0(x[0-9a-fA-F]+|o[0-7]+)$`)
	otherFloat = regexp.MustCompile(`^[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// scalar appends a value that is neither a list nor an object.
func (c *converter) scalar(n *yaml.Node) error {
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!timestamp":
		c.json = wire.AppendString(c.json, n.Value)
	case "!!null":
		c.json = append(c.json, "null"...)
	case "!!bool":
		c.json = append(c.json, strings.ToLower(n.Value)...)
	case "!!int", "!!float":
		return c.number(n)
	default:
		return fmt.Errorf("line %d: want a text, a number, true, false or null, got %s", n.Line, excerpt.Of(tag))
	}
	return nil
}

// number appends a number in the syntax of JSON, if all readers of YAML take it for the same number.
func (c *converter) number(n *yaml.Node) error {
	switch {
	case jsonNumber.MatchString(n.Value):
		c.json = append(c.json, n.Value...)
		return nil
	case otherBase.MatchString(n.Value):
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			c.json = strconv.AppendInt(c.json, v, 10)
			return nil
		}
	case otherFloat.MatchString(n.Value):
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
			c.json = strconv.AppendFloat(c.json, v, 'g', -1, 64)
			return nil
		}
	}
	return fmt.Errorf("line %d: %s is not the same number for all readers; write it in quotes", n.Line, excerpt.Of(n.Value))
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
	var names []string
	for name := range want {
		names = append(names, name)
	}
	for name := range got {
		if _, both := want[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
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
