package features

import (
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// oneArgument returns the input schema of a tool with one argument, which it requires.
func oneArgument(name, typ, description string) wire.Raw {
	return fmt.Appendf(nil, `{"type":"object","properties":{%q:{"type":%q,"description":%q}},"required":[%[1]q],"additionalProperties":false}`,
		name, typ, description)
}

// argument returns an argument of a tool. The error is for the model to read: it names the argument.
func argument[T string | int](args wire.Raw, name string) (T, error) {
	var value T
	var all map[string]wire.Raw
	if err := json.Unmarshal(args, &all); err != nil {
		return value, err
	}
	raw := all[name]
	if len(raw) == 0 {
		return value, &server.ArgumentError{Problems: []string{name + ": is required"}}
	}
	if json.Unmarshal(raw, &value) != nil || raw.Kind() == wire.KindNull {
		return value, &server.ArgumentError{Problems: []string{fmt.Sprintf("%s: want %T, got %s", name, value, raw)}}
	}
	return value, nil
}
