package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The client keeps the state of a call, and sends it with the retry. It must not read it, change it, or use it for another
// request, nor may another client; so it is sealed, and bound to who sent the request and to what it is. It ends after
// [Options].StateTTL, and with [Options].StateOnce it is good for one use.

// sealedState is the state that travels through the client from one run of a handler to the next.
type sealedState struct {
	responses map[string]wire.Raw // to requests for input
	results   map[string]wire.Raw // of [Call.Once]
	unused    int64               // how many runs have used no response
	expires   int64               // Unix time in milliseconds
	about     string              // hash of the arguments of the call, in Base64
}

var typeSealedState = wire.Type{Name: "state", Members: []string{"responses", "results", "unused", "expires", "about"}}

// EncodeWire implements [wire.Encodable].
func (s *sealedState) EncodeWire(e *wire.Encoder) {
	e.Begin(&typeSealedState, true)
	e.Key("responses")
	wire.PutMap(e, s.responses, (*wire.Raw).EncodeWire)
	e.Key("results")
	wire.PutMap(e, s.results, (*wire.Raw).EncodeWire)
	e.Key("unused")
	e.Int(s.unused)
	e.Key("expires")
	e.Int(s.expires)
	e.Key("about")
	e.String(s.about)
	e.End(&typeSealedState, nil)
}

// DecodeWire implements [wire.Decodable].
func (s *sealedState) DecodeWire(d *wire.Decoder) {
	o := d.Object(&typeSealedState)
	for o.Next() {
		switch o.Name {
		case "responses":
			s.responses = wire.Map(d, (*wire.Raw).DecodeWire)
		case "results":
			s.results = wire.Map(d, (*wire.Raw).DecodeWire)
		case "unused":
			s.unused = d.Int()
		case "expires":
			s.expires = d.Int()
		case "about":
			s.about = d.String()
		default:
			d.Skip()
		}
	}
}

// maxState is how many bytes the state may have before it is sealed. A client sends all of it with each retry.
const maxState = 1 << 20

// seal returns the state of a call as text that only this server, or another one with the same keys, can read. It is bound to
// the principal, the method and the name of what is called; in it is a hash of the arguments. So it can only be opened for a
// retry of the same request by the same caller. The arguments are hashed last: they may be large, and a state that is not the
// server's costs no more than trying each key.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr.
func (c *Call) seal(state sealedState) (string, error) {
	state.about = c.about()
	state.expires = time.Now().Add(c.server.opts.StateTTL).UnixMilli()
	plain, err := wire.Marshal(wire.Any, &state)
	if err != nil {
		return "", err
	}
	if len(plain) > maxState {
		return "", fmt.Errorf("the state of the call has %d bytes, want at most %d", len(plain), maxState)
	}
	return c.server.sealer().Seal(plain, c.binding()), nil
}

// unseal returns the state that seal sealed. Its error is for the client.
//
// REQ MRTR-11, MRTR-13
func (c *Call) unseal(ctx context.Context, text string) (*sealedState, error) {
	foreign := jsonrpcError(codeInvalidParams, "requestState was not made for this request, or was changed on the way", nil)
	plain, id, err := c.server.sealer().Open(text, c.binding())
	if err != nil {
		return nil, foreign
	}
	state := new(sealedState)
	if err := wire.Decode(plain, state); err != nil { // it is of another version of the server
		return nil, foreign
	}
	expires := time.UnixMilli(state.expires)
	if !time.Now().Before(expires) {
		return nil, jsonrpcError(codeInvalidParams, "requestState has expired: send the request again without it", nil)
	}
	if state.about != c.about() {
		return nil, foreign
	}
	// Last, so that no state is used up by a request that is refused.
	if once := c.server.opts.StateOnce; once != nil {
		first, err := once(share.With(ctx, c.owner()), id, expires)
		if err != nil {
			return nil, fmt.Errorf("requestState: %w", err)
		}
		c.input.spent = true
		if !first {
			return nil, jsonrpcError(codeInvalidParams, "requestState has been used before: send the request again without it", nil)
		}
	}
	return state, nil
}

var errTooManyStates = errors.New("there are too many used ones to remember: try again later")

// OnceInMemory returns a function for [Options.StateOnce] that remembers used states in this process. It remembers
// at most that many at the same time: 200,000 if most is 0, which takes about 10 MiB, and more if each is of another
// client; a negative number means no limit. One client may have a quarter of them. Further states are refused until
// some have expired.
func OnceInMemory(most int) func(ctx context.Context, id string, until time.Time) (first bool, err error) {
	used := share.NewSeen(option.Limit(most, 200_000))
	return func(ctx context.Context, id string, until time.Time) (bool, error) {
		first, room := used.Add(share.From(ctx), id, time.Now(), until)
		if !room {
			return false, errTooManyStates
		}
		return first, nil
	}
}

// binding returns what the state of a call is bound to, in addition to the arguments. BeginInput has set the name before.
//
// REQ MRTR-11, SEC-12
func (c *Call) binding() []byte {
	h := sha256.New()
	for _, part := range [][]byte{
		[]byte(c.Principal()), []byte(c.req.Method), []byte(c.input.name),
	} {
		// With its length, so that no text can move from one part to the next.
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	return h.Sum(nil)
}

// about returns a hash of the arguments of a call, in Base64, the same for equal arguments.
//
// REQ MRTR-11
func (c *Call) about() string {
	sum := sha256.Sum256(seal.Canonical(c.input.about))
	return base64.RawStdEncoding.EncodeToString(sum[:])
}
