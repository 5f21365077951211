package client

// A connection begins with the negotiation of a revision. A server of a modern one responds to server/discover; any
// other error, or silence, means an older server, with which initialize opens a session. Nothing else is sent until
// that has succeeded, and its outcome does not change while the connection lasts.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle, and
// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// connect finds out which revision the server speaks, and opens a session where the revision has sessions. LastRevision
// changes only where it begins: if the server no longer speaks that revision, the negotiation goes its usual way.
func (c *Client) connect(ctx context.Context) error {
	wanted := c.opts.revisions()
	modern, legacy := split(wanted)
	last := c.opts.LastRevision
	switch {
	case len(modern) == 0:
		return c.initialize(ctx, legacy)
	case slices.Contains(legacy, last):
		// If it fails, another server may have taken the place of the one that was there, so it is probed as usual.
		if err := c.initialize(ctx, legacy); err == nil || c.over(ctx, err) {
			return err
		}
	case slices.Contains(modern, last):
		return c.probe(ctx, last, modern, legacy)
	}
	return c.probe(ctx, modern[0], modern, legacy)
}

// split splits revisions, newest first, into those without and those with sessions.
func split(revs []wire.Revision) (modern, legacy []wire.Revision) {
	i := slices.IndexFunc(revs, func(r wire.Revision) bool { return r < mcp.Modern })
	if i < 0 {
		return revs, nil
	}
	return revs[:i], revs[i:]
}

// probe sends server/discover, in revision rev at first. An error that only modern servers return means
// that the server is one. Any other error, or no response in time, means an older one: these respond to
// unknown methods in many ways, or not at all.
//
// If the server refuses a revision that it lists, probe tries it once more. Each revision is tried twice at most, so a
// server that refuses what it lists cannot keep the client busy.
//
// REQ VER-09, VER-10
func (c *Client) probe(ctx context.Context, rev wire.Revision, modern, legacy []wire.Revision) error {
	tried := map[wire.Revision]int{}
	for {
		tried[rev]++
		found, err := c.discover(ctx, rev)
		var supported []string
		switch code, _ := codeOf(err); {
		case err == nil:
			supported = found.supported
			// Without a common one, the server may have older revisions in common, see below.
			if common := commonOf(modern, supported); len(common) > 0 {
				return c.settle(ctx, common[0], found.server)
			}
		case c.over(ctx, err):
			return named(mcp.MethodDiscover.Name, err)
		case code == mcp.CodeUnsupportedProtocolVersion:
			supported = supportedBy(err)
			common := slices.DeleteFunc(commonOf(modern, supported), func(r wire.Revision) bool { return tried[r] > 1 })
			if len(common) > 0 {
				// The newest of those that were tried least.
				rev = slices.MinFunc(common, func(a, b wire.Revision) int { return tried[a] - tried[b] })
				continue
			}
		// Only a server of a modern revision has the code, so initialize would not help.
		case mcp.HasCodeSince(mcp.Modern, code):
			return named(mcp.MethodDiscover.Name, err)
		case len(legacy) == 0:
			return &VersionError{Wanted: modern, Err: named(mcp.MethodDiscover.Name, err)}
		default:
			return c.fallBack(ctx, modern, legacy, err)
		}
		if common := commonOf(legacy, supported); len(common) > 0 {
			return c.initialize(ctx, common)
		}
		return &VersionError{Wanted: append(slices.Clip(modern), legacy...), Supported: supported, Err: err}
	}
}

// fallBack opens a session with a server that did not respond to server/discover as modern ones do. If that
// fails, too, and the server may only have been slow, it is probed once more.
func (c *Client) fallBack(ctx context.Context, modern, legacy []wire.Revision, probed error) error {
	err := c.initialize(ctx, legacy)
	if err == nil || c.over(ctx, err) {
		return err
	}
	// Without older revisions the probe does not fall back once more.
	if errors.Is(probed, context.DeadlineExceeded) && c.probe(ctx, modern[0], modern, nil) == nil {
		return nil
	}
	// If both requests have failed for the same reason, it is reported once.
	before := strings.TrimPrefix(probed.Error(), mcp.MethodDiscover.Name+": ")
	if before == strings.TrimPrefix(err.Error(), mcp.MethodInitialize.Name+": ") {
		return err
	}
	return fmt.Errorf("%w (before that, %s: %s)", err, mcp.MethodDiscover.Name, before)
}

// over reports whether an error ends the negotiation, because the context or the connection has ended, or the
// server demands authorization.
func (c *Client) over(ctx context.Context, err error) bool {
	status, refused := errors.AsType[*transport.StatusError](err)
	return ctx.Err() != nil || errors.Is(err, jsonrpc.ErrClosed) || errors.As(err, new(*jsonrpc.DisconnectedError)) ||
		refused && status.Denied()
}

// discover sends server/discover. It cancels the request only by closing an exchange: a server that does not know
// the method may not handle the notification of its cancellation, either.
func (c *Client) discover(ctx context.Context, rev wire.Revision) (*discovered, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.probeTimeout())
	defer cancel()
	params, err := withMeta(&mcp.MethodDiscover, nil, c.standardMeta(rev, ""))
	if err != nil {
		return nil, err
	}
	a := &response{client: c, method: &mcp.MethodDiscover, keep: true}
	err = c.through(ctx, &mcp.MethodDiscover, params, a, func(ctx context.Context, params wire.Encodable) error {
		// Middleware may send the request more than once.
		a.err = nil
		opts := &peer.CallOptions{Revision: rev, Silent: !c.exchanges}
		return cmp.Or(c.send(ctx, mcp.MethodDiscover.Name, params, a, opts), a.err)
	})
	if err != nil {
		return nil, err
	}
	// The text has been kept as it came, so that it is read twice: here for what the client needs, and by Discover as a whole.
	found := new(discovered)
	if err := wire.Decode(a.text, found); err != nil {
		return nil, err
	}
	// The program's first Client.Discover may then need no request.
	c.cache.put(cacheKey{method: mcp.MethodDiscover.Name}, 0, a.text)
	return found, nil
}

// discovered is the part of a [mcp.DiscoverResult] that a client needs. A server that leaves out the rest
// counts as modern all the same.
type discovered struct {
	supported []string
	server    ServerInfo
}

var typeDiscovered = wire.Type{
	Name:     "DiscoverResult",
	Members:  []string{"supportedVersions", "capabilities", "instructions", "_meta"},
	Required: 2,
}

// DecodeWire decodes the result of server/discover.
func (v *discovered) DecodeWire(d *wire.Decoder) {
	*v = discovered{}
	o := d.Object(&typeDiscovered)
	for o.Next() {
		switch o.Name {
		case "supportedVersions":
			o.Once(0) // the index of the name in typeDiscovered.Members
			v.supported = wire.Slice(d, wire.GetString[string])
		case "capabilities":
			o.Once(1)
			v.server.Capabilities.DecodeWire(d)
		case "instructions":
			o.Once(2)
			v.server.Instructions = d.StringOrNull()
		case "_meta":
			o.Once(3)
			if meta := wire.Pointer(d, (*mcp.ResultMetaObject).DecodeWire); meta != nil {
				v.server.Info = meta.ServerInfo
			}
		default:
			d.Skip()
		}
	}
}

// initialize opens a session in the newest of the given revisions that the server speaks.
//
// REQ LIFE-06, LIFE-03
func (c *Client) initialize(ctx context.Context, legacy []wire.Revision) error {
	r, err := c.handshake(ctx, legacy[0])
	if supported := supportedBy(err); supported != nil {
		// Some servers refuse a revision that they do not speak instead of naming another.
		common := slices.DeleteFunc(commonOf(legacy, supported), func(r wire.Revision) bool { return r == legacy[0] })
		if len(common) == 0 {
			return &VersionError{Wanted: legacy, Supported: supported, Err: err}
		}
		r, err = c.handshake(ctx, common[0])
	}
	if err != nil {
		return named(mcp.MethodInitialize.Name, err)
	}
	common := commonOf(legacy, []string{r.ProtocolVersion})
	if len(common) == 0 {
		return &VersionError{Wanted: legacy, Supported: []string{r.ProtocolVersion}}
	}
	// Once it has the notification, the server may send requests, which follow the revision.
	c.agreed.Store(uint32(common[0]))
	// If it cannot be sent there is no session: servers refuse what comes before it.
	if err := c.initialized(ctx, common[0]); err != nil {
		return err
	}
	return c.settle(ctx, common[0], ServerInfo{r.Capabilities, &r.ServerInfo, r.Instructions})
}

// handshake sends initialize, for which no cancellation may be sent. It goes through the middleware as all other requests
// do, but not through call: there is no revision yet that could have the method.
//
// REQ LIFE-01
func (c *Client) handshake(ctx context.Context, rev wire.Revision) (*mcp.InitializeResult, error) {
	params := &mcp.InitializeRequestParams{
		ProtocolVersion: rev.String(),
		Capabilities:    c.opts.capabilities(rev),
		ClientInfo:      c.info,
	}
	r := new(mcp.InitializeResult)
	err := c.through(ctx, &mcp.MethodInitialize, params, r, func(ctx context.Context, params wire.Encodable) error {
		return c.send(ctx, mcp.MethodInitialize.Name, params, r, &peer.CallOptions{Revision: rev, Silent: true})
	})
	return r, err
}

// initialized sends the notification that ends the handshake.
func (c *Client) initialized(ctx context.Context, rev wire.Revision) error {
	m := &mcp.MethodInitializedNotification
	return c.through(ctx, m, nil, nil, func(ctx context.Context, params wire.Encodable) error {
		return c.notify(ctx, rev, m.Name, params)
	})
}

// named returns err with the method before it, unless err names the method itself.
func named(method string, err error) error {
	if errors.As(err, new(*jsonrpc.CallError)) {
		return err
	}
	return fmt.Errorf("%s: %w", method, err)
}

// supportedBy returns the revisions that a server lists in an error. Older servers use the code for invalid params.
func supportedBy(err error) []string {
	code, data := codeOf(err)
	if code != mcp.CodeUnsupportedProtocolVersion && code != jsonrpc.CodeInvalidParams {
		return nil
	}
	var v mcp.UnsupportedProtocolVersionErrorData
	if wire.Decode(data, &v) != nil {
		return nil
	}
	return v.Supported
}

// commonOf returns those of revs whose names are among names, in the order of revs: the newest first.
func commonOf(revs []wire.Revision, names []string) []wire.Revision {
	var common []wire.Revision
	for _, r := range revs {
		if slices.Contains(names, r.String()) {
			common = append(common, r)
		}
	}
	return common
}
