package client

// Since 2026-07-28 each request says in its metadata which revision it follows, who the client is and what it can do.
// The client has one such object, which it replaces when the log level changes, and never changes.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic.

import (
	"reflect"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// withMeta returns a copy of params with the metadata that modern revisions require of every request.
// Metadata of the caller is kept, except for the revision.
//
// Params of every generated type have a field Meta. It is found by reflection, so that new methods need no
// code here. Params of other types are encoded first.
func withMeta(m *wire.Method, params wire.Encodable, standard *mcp.RequestMetaObject) (wire.Encodable, error) {
	if params == nil {
		if m.NewParams == nil { // a custom method
			params = new(mcp.RequestParams)
		} else {
			params = m.NewParams()
		}
	}
	if v := shallow(params); v.IsValid() {
		if field := v.FieldByName("Meta"); field.IsValid() {
			switch meta := field.Addr().Interface().(type) {
			case **mcp.RequestMetaObject: // an optional member
				*meta = completed(*meta, standard)
				return v.Addr().Interface().(wire.Encodable), nil
			case *mcp.RequestMetaObject: // a required one
				*meta = *completed(meta, standard)
				return v.Addr().Interface().(wire.Encodable), nil
			}
		}
	}
	p := new(mcp.RequestParams)
	if err := recode(params, p); err != nil {
		return nil, err
	}
	p.Meta = completed(p.Meta, standard)
	return p, nil
}

// shallow returns a copy of the struct that params point to, or the zero Value if they are something else.
func shallow(params wire.Encodable) reflect.Value {
	v := reflect.ValueOf(params)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	// What the fields point to is shared with the caller, and must not be changed, only replaced.
	c := reflect.New(v.Type().Elem()).Elem()
	c.Set(v.Elem())
	return c
}

// completed returns the caller's metadata, with the missing keys added. The revision is not the caller's to choose: over
// HTTP it is in a header, too, and the server refuses a request in which the two differ.
//
// REQ META-09, VER-01, META-10
func completed(own, standard *mcp.RequestMetaObject) *mcp.RequestMetaObject {
	if own == nil {
		return standard
	}
	meta := *own
	meta.ProtocolVersion = standard.ProtocolVersion
	if meta.ClientInfo == nil {
		meta.ClientInfo = standard.ClientInfo
	}
	if meta.ClientCapabilities == nil {
		meta.ClientCapabilities = standard.ClientCapabilities
	}
	if meta.LogLevel == "" {
		meta.LogLevel = standard.LogLevel
	}
	return &meta
}

// standardMeta returns the metadata of every request in a modern revision. Nobody may change the result: requests share it.
//
// REQ META-09, VER-01, META-10
func (c *Client) standardMeta(rev wire.Revision, level mcp.LoggingLevel) *mcp.RequestMetaObject {
	return &mcp.RequestMetaObject{
		ProtocolVersion:    rev.String(),
		ClientCapabilities: new(c.opts.capabilities(rev)),
		LogLevel:           level,
		ClientInfo:         &c.info,
	}
}
