package console

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Arguments makes the arguments of a tool from words: one JSON object, or name=value for each argument, whose value
// is parsed as the tool's schema says. name:=value is JSON whatever the schema says, a.b=value sets the member b of
// the argument a, and the items of a list may be given one by one.
func Arguments(schema wire.Raw, words []string) (wire.Raw, error) {
	if len(words) == 1 && strings.HasPrefix(words[0], "{") {
		if !json.Valid([]byte(words[0])) {
			return nil, fmt.Errorf("the arguments %s are not a JSON object", words[0])
		}
		return wire.Raw(words[0]), nil
	}
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("the tool's input schema is not JSON: %w", err)
	}
	a := arguments{schemaOf{root}, map[string]any{}}
	for _, word := range words {
		if err := a.add(word); err != nil {
			return nil, err
		}
	}
	return json.Marshal(a.values)
}

// arguments collects what the words of a command line say.
type arguments struct {
	schemas schemaOf
	values  map[string]any // of map[string]any, []json.RawMessage and json.RawMessage
}

// add reads name=value or name:=JSON, and stores the value. The dots in a name lead into objects, unless the tool has
// an argument of the whole name. Objects on the way are made.
func (a *arguments) add(word string) error {
	name, text, ok := strings.Cut(word, "=")
	if !ok || strings.Trim(name, ":.") == "" {
		return fmt.Errorf("%q is no argument: want name=value, name:=JSON, or one JSON object for all", word)
	}
	name, isJSON := strings.CutSuffix(name, ":")
	into, schema, path := a.values, a.schemas.root, strings.Split(name, ".")
	if members := a.schemas.properties(schema); len(path) > 1 && members[name] != nil {
		path = []string{name} // the dots belong to the name
	}
	for i, part := range path {
		member, ok := a.schemas.member(schema, part)
		if !ok {
			return fmt.Errorf("there is no argument %s: want %s", strings.Join(path[:i+1], "."), list(slices.Sorted(maps.Keys(a.schemas.properties(schema)))))
		}
		schema = member
		if i == len(path)-1 {
			value, err := a.value(name, text, isJSON, schema, 0)
			if err != nil {
				return err
			}
			return a.set(into, part, name, value)
		}
		inner, ok := into[part].(map[string]any)
		if !ok {
			if into[part] != nil {
				return fmt.Errorf("the argument %s is given twice", strings.Join(path[:i+1], "."))
			}
			inner = map[string]any{}
			into[part] = inner
		}
		into = inner
	}
	return nil
}

// set stores a value; another item of a list is appended.
func (a *arguments) set(into map[string]any, part, name string, value any) error {
	old, again := into[part]
	items, isList := value.([]json.RawMessage)
	before, wasList := old.([]json.RawMessage)
	switch {
	case !again:
		into[part] = value
	case isList && wasList:
		into[part] = append(before, items...)
	default:
		return fmt.Errorf("the argument %s is given twice", name)
	}
	return nil
}

// value parses a value as its schema demands. Depth is in how many lists it is.
func (a *arguments) value(name, text string, isJSON bool, schema any, depth int) (any, error) {
	raw := json.RawMessage(text)
	if isJSON {
		if !json.Valid(raw) {
			return nil, fmt.Errorf("the argument %s is not JSON: %s", name, text)
		}
		return raw, nil
	}
	kinds := a.schemas.kinds(schema, 0)
	kind := kindOf(raw)
	switch {
	case slices.Contains(kinds, "string"):
	case kind != "" && (len(kinds) == 0 || slices.Contains(kinds, kind) || kind == "integer" && slices.Contains(kinds, "number")):
		return raw, nil
	case slices.Contains(kinds, "array"):
		if depth > 0 {
			return nil, fmt.Errorf("the argument %s is a list of lists: write it as JSON, %s:=[[…]]", name, name)
		}
		item, err := a.value(name, text, false, a.schemas.items(schema), depth+1)
		if err != nil {
			return nil, err
		}
		return []json.RawMessage{item.(json.RawMessage)}, nil
	case len(kinds) > 0:
		return nil, fmt.Errorf("the argument %s is %s: want %s", name, text, wanted(kinds))
	}
	quoted, err := json.Marshal(text)
	return json.RawMessage(quoted), err
}

// kindOf returns the JSON Schema type of a JSON text, empty if the text is not valid.
func kindOf(text json.RawMessage) string {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return ""
	}
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if strings.ContainsAny(string(text), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	}
	return "object"
}

// wanted returns how values of these types are written. Strings and arrays are not among them: any text is a string or
// an item.
func wanted(kinds []string) string {
	words := map[string]string{
		"integer": "an integer", "number": "a number", "boolean": "true or false", "null": "null",
		"object": `a JSON object, such as {"name":"value"}`,
	}
	var all []string
	for _, kind := range kinds {
		all = append(all, words[kind])
	}
	return strings.Join(all, " or ")
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
