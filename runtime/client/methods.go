package client

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Method is a custom method with its handler: a method of an extension, or any other that is not one of
// the protocol's own. See [HandleRequest] and [HandleNotification].
type Method struct {
	name         string
	request      func(ctx context.Context, params wire.Raw) (wire.Encodable, error)
	notification func(ctx context.Context, params wire.Raw) error
}

// HandleRequest returns a Method whose requests f handles. Types of generated bindings, pointers to them and [wire.Raw]
// are decoded and encoded by their own methods, others as by encoding/json; absent params are decoded as {}. Since
// 2026-07-28 servers send requests only inside input-required results.
func HandleRequest[In, Out any](method string, f func(ctx context.Context, params In) (Out, error)) Method {
	m := Method{name: method}
	if f != nil {
		m.request = func(ctx context.Context, params wire.Raw) (wire.Encodable, error) {
			in, err := decodeParams[In](params)
			if err != nil {
				return nil, err
			}
			out, err := f(ctx, in)
			if err != nil {
				return nil, err
			}
			return encodable(&out)
		}
	}
	return m
}

// HandleNotification returns a Method whose notifications f handles. Their params are decoded as those of
// [HandleRequest]. Notifications are handled one after another, in the order in which they arrived.
func HandleNotification[In any](method string, f func(ctx context.Context, params In)) Method {
	m := Method{name: method}
	if f != nil {
		m.notification = func(ctx context.Context, params wire.Raw) error {
			in, err := decodeParams[In](params)
			if err != nil {
				return err
			}
			f(ctx, in)
			return nil
		}
	}
	return m
}

func decodeParams[In any](params wire.Raw) (in In, err error) {
	if params == nil {
		params = wire.Raw("{}")
	}
	if p, ok := any(&in).(wire.Decodable); ok {
		err = wire.Decode(params, p)
		return in, err
	}
	if t := reflect.TypeFor[In](); t.Kind() == reflect.Pointer {
		if p, ok := reflect.New(t.Elem()).Interface().(wire.Decodable); ok {
			err = wire.Decode(params, p)
			return p.(In), err
		}
	}
	if err = json.Unmarshal(params, &in); err != nil {
		return in, invalidParams("params: " + err.Error())
	}
	return in, nil
}

// encodable returns what encodes the value that out points to; nil for a nil interface.
func encodable[Out any](out *Out) (wire.Encodable, error) {
	switch v := any(*out).(type) {
	case nil:
		return nil, nil
	case wire.Encodable:
		return v, nil
	}
	if v, ok := any(out).(wire.Encodable); ok {
		return v, nil
	}
	raw, err := json.Marshal(*out)
	return wire.Raw(raw), err
}

// methods holds custom methods, by name.
type methods struct {
	requests, notifications map[string]Method
}

func newMethods(list []Method) (methods, error) {
	ms := methods{map[string]Method{}, map[string]Method{}}
	for _, m := range list {
		byName := ms.requests
		if m.notification != nil {
			byName = ms.notifications
		}
		_, duplicate := byName[m.name]
		switch {
		case m.name == "" || m.request == nil && m.notification == nil:
			return ms, fmt.Errorf("client: Options.Methods: want a name and a function, got the name %q", m.name)
		case isOwn(m.name):
			return ms, fmt.Errorf("client: Options.Methods: the client handles %q itself; use Options.Middleware", m.name)
		case duplicate:
			return ms, fmt.Errorf("client: Options.Methods: %q is given twice", m.name)
		}
		byName[m.name] = m
	}
	return ms, nil
}

// isOwn reports whether the client itself handles a method. It does not handle requests about tasks: clients have
// none here.
func isOwn(method string) bool {
	if extension.ClientMethod(method) != nil {
		return true
	}
	m := mcp.ClientMethod(method)
	return m != nil && (m.Notification || m.ClientCapability != mcp.ClientCapabilityTasks &&
		!strings.HasPrefix(m.ClientCapability, mcp.ClientCapabilityTasks+"."))
}
