package server

import (
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A result is encoded for the revision of its call, which leaves out what the revision does not have. Since 2026-07-28 each
// result says which server it comes from, in its metadata: the server adds that to what the handler returned, without
// changing it.

// A page is a list that is encoded already.
type page = wire.Raw

// encode encodes a result for the revision of the call, into the given buffer if there is one. Raw values in the
// result may come from anywhere, so they are checked.
func (s *Server) encode(c *Call, v wire.Encodable, room []byte) (wire.Raw, error) {
	if raw, ok := v.(page); ok {
		if c.isList() { // made and checked by list, perhaps for an earlier request
			return raw, nil
		}
		return s.encodeRaw(c, raw)
	}
	if err := valid.Result(v); err != nil {
		return nil, cannotSend(err)
	}
	if c.modern() {
		switch r := s.complete(v); {
		case r != nil:
			v = r
		default: // of a type that only its handler knows
			raw, err := wire.MarshalChecked(c.rev, v)
			if err != nil {
				return nil, cannotSend(err)
			}
			return s.encodeRaw(c, raw)
		}
	}
	var raw []byte
	var err error
	if room == nil {
		raw, err = wire.MarshalChecked(c.rev, v)
	} else {
		raw, err = wire.AppendChecked(room, c.rev, v)
	}
	if err != nil {
		return nil, cannotSend(err)
	}
	return raw, nil
}

// cannotSend hides the type of an error, so that it is not taken for an error of the request.
func cannotSend(err error) error { return fmt.Errorf("the result cannot be sent: %v", err) }

// isList reports whether the result of a call comes from a list that is kept encoded.
func (c *Call) isList() bool {
	switch c.req.Method {
	case mcp.MethodListTools.Name, mcp.MethodListPrompts.Name, mcp.MethodListResources.Name,
		mcp.MethodListResourceTemplates.Name:
		return true
	}
	return false
}

// encodeRaw adds the members that every result must have to a result that the handler encoded itself.
//
// REQ STATE-09
func (s *Server) encodeRaw(c *Call, raw wire.Raw) (wire.Raw, error) {
	// This also checks it, in every revision.
	var r mcp.Result
	if err := wire.Decode(raw, &r); err != nil {
		return nil, cannotSend(err)
	}
	if !c.modern() {
		return raw, nil
	}
	r.Meta = mergeMeta(r.Meta, s.meta)
	return wire.Marshal(c.rev, &r)
}

// complete returns v with the metadata that every result has since 2026-07-28, nil if v has no such metadata.
// It does not change v: a handler may return the same value again.
func (s *Server) complete(v wire.Encodable) wire.Encodable {
	switch v := v.(type) {
	case *mcp.DiscoverResult, *mcp.SubscriptionsListenResult: // made by the server
		return v
	case mcp.MetaResult:
		return v.WithMeta(mergeMeta(v.ResultMeta(), s.meta))
	}
	return nil
}

// mergeMeta returns own with the members of base that it lacks. It changes neither: own is the handler's, and base the server's.
// Both may be nil.
func mergeMeta(own, base *mcp.ResultMetaObject) *mcp.ResultMetaObject {
	switch {
	case own == nil:
		return base
	case own.ServerInfo != nil || base == nil:
		return own
	}
	merged := *own
	merged.ServerInfo = base.ServerInfo
	return &merged
}
