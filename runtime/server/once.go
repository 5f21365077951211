package server

import (
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Once calls f unless an earlier run of the same call did so successfully. A handler that asks the client for input
// may run several times. The key identifies f within the call.
func (c *Call) Once(key string, f func() error) error {
	_, err := OnceValue(c, key, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// OnceValue is [Call.Once] for a function with a result, which it returns in every run. The result travels through
// the client, sealed and encoded by encoding/json, so it should be small.
func OnceValue[T any](c *Call, key string, f func() (T, error)) (T, error) {
	var v T
	if raw, ok := c.input.result(key); ok {
		if err := json.Unmarshal(raw, &v); err != nil {
			return v, fmt.Errorf("server: OnceValue %q: %w", key, err)
		}
		return v, nil
	}
	v, err := f()
	if err != nil {
		return v, err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return v, fmt.Errorf("server: OnceValue %q: %w", key, err)
	}
	c.input.remember(key, raw)
	return v, nil
}

func (a *inputState) result(key string) (wire.Raw, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	raw, ok := a.results[key]
	return raw, ok
}

func (a *inputState) remember(key string, raw wire.Raw) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.results == nil {
		a.results = make(map[string]wire.Raw)
	}
	a.results[key] = raw
}
