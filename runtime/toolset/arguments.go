package toolset

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// describeArguments returns an input schema with other descriptions for some arguments, in the order that it had.
func describeArguments(schema wire.Raw, texts map[string]string) (wire.Raw, error) {
	root, err := wire.ExtraOf(wire.Any, schema)
	if err != nil {
		return nil, err
	}
	all, _ := root.Get("properties")
	properties := wire.Extra{}
	if len(all) > 0 {
		if properties, err = wire.ExtraOf(wire.Any, all); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		raw, ok := properties.Get(name)
		if !ok {
			var known []string
			for _, p := range properties {
				known = append(known, p.Name)
			}
			return nil, oneOf("argument", name, known)
		}
		argument, err := wire.ExtraOf(wire.Any, raw)
		if err != nil {
			return nil, fmt.Errorf("argument %q: %w", name, err)
		}
		text := texts[name]
		description, err := wire.MarshalFunc(wire.Any, &text, wire.PutString[string])
		if err != nil {
			return nil, fmt.Errorf("argument %q: %w", name, err)
		}
		argument.Set("description", description)
		properties.Set(name, object(argument))
	}
	root.Set("properties", object(properties))
	return object(root), nil
}

// object returns the object with these members, which were decoded or encoded before.
func object(members wire.Extra) (raw wire.Raw) {
	wire.DecodeExtra(members, &raw)
	return raw
}
