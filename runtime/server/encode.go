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
//
// What a handler or middleware has encoded itself is decoded for that, as the type that the revision has for the method, and so
// checked as well. Only the pages of lists, which the server has encoded for the revision, are sent as they are.

// encode encodes a result for the revision of the call, into the given buffer if there is one. Raw values in the
// result may come from anywhere, so they are checked.
//
// REQ STATE-09
func (s *Server) encode(c *Call, v wire.Encodable, room []byte) (raw wire.Raw, err error) {
	if raw, ok := v.(wire.Raw); ok {
		if c.isPage(raw) {
			return raw, nil
		}
		r := c.newResult()
		if err := wire.Decode(raw, r); err != nil {
			return nil, cannotSend(err)
		}
		v = r
	}
	if err := valid.Result(v); err != nil {
		return nil, cannotSend(err)
	}
	if c.modern() {
		if v, err = s.complete(c.rev, v); err != nil {
			return nil, cannotSend(err)
		}
	}
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

// isPage reports whether raw is the page that list has returned for the call, and not what middleware has put in its place.
func (c *Call) isPage(raw wire.Raw) bool {
	return len(raw) > 0 && len(raw) == len(c.page) && &raw[0] == &c.page[0]
}

// newResult returns a result of the type that the revision has for the method of the call, or one of no type in particular.
func (c *Call) newResult() wire.Value {
	if m := mcp.ServerMethod(c.req.Method); m != nil && m.Reaches(wire.Server, c.rev) {
		return m.NewResult()
	}
	return new(mcp.Result)
}

// complete returns v with the metadata that every result has since 2026-07-28. It does not change v: a handler may return the same
// value again.
func (s *Server) complete(rev wire.Revision, v wire.Encodable) (wire.Encodable, error) {
	switch v := v.(type) {
	case *mcp.DiscoverResult, *mcp.SubscriptionsListenResult: // made by the server
		return v, nil
	case mcp.MetaResult:
		return v.WithMeta(mergeMeta(v.ResultMeta(), s.meta)), nil
	}
	// Of a type that only its handler knows, or one of several.
	raw, err := wire.MarshalChecked(rev, v)
	if err != nil {
		return nil, err
	}
	r := new(mcp.Result)
	if err := wire.Decode(raw, r); err != nil {
		return nil, err
	}
	return r.WithMeta(mergeMeta(r.Meta, s.meta)), nil
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
