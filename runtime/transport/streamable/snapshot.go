package streamable

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What is written down of a session is what its client has said, who it is, and which ids and numbers were used. Calls
// in progress are not: the process that runs them has them, and when it dies they are lost, which endLostCall tells the client
// that waits for them.

// A snapshot is a session as it is written down. Later versions of the package add members, and ignore those that they do
// not know. Events, results and messages that wait are not in it.
type snapshot struct {
	Continued int64           `json:"continued,omitempty"` // how often it was continued before it was written
	Principal string          `json:"principal,omitempty"`
	Session   json.RawMessage `json:"session"` // of the server
	Used      peer.UsedIDs    `json:"used,omitzero"`
}

const (
	// continuedShift makes the numbers of streams and the ids of requests differ from those used before the session was
	// continued: they begin at the number of continuations, shifted by so many bits.
	continuedShift = 32
	maxContinued   = math.MaxInt64>>continuedShift - 1
)

var (
	errUnavailable = errors.New("sessions cannot be served at the moment; try again later")
	errCutOff      = errors.New("the process that handled the request has stopped before it was done; what it did until then is not known")
	errSnapshot    = errors.New("streamable: what is kept of a session is not what KeptSession.State returned")
)

// State returns what a handler needs to continue the session, as JSON for this and later versions of the package. It is
// nil if the handler no longer serves the session.
func (s *KeptSession) State() []byte {
	live := s.live
	if live.hasEnded() {
		return nil
	}
	session, err := live.mcp.State()
	if err != nil {
		live.h.opts.Logger.Error("streamable: the state of a session cannot be encoded", "error", err)
		return nil
	}
	data, _ := json.Marshal(snapshot{s.continued, live.principal, session, live.peer.UsedIDs()})
	return data
}

// restore makes a session of what is kept of it. It returns nil if the sender of the request has no such session, or the
// server has none of its revision any more.
//
// REQ SEC-10, SEC-11, SESS-07
func (h *Handler) restore(in *incoming, id string, kept *SavedSession) (*liveSession, error) {
	var from snapshot
	err := json.Unmarshal(kept.State, &from)
	switch {
	case err != nil || len(from.Session) == 0 || from.Continued < 0 || from.Continued >= maxContinued:
		return nil, errors.Join(errSnapshot, err) // the session may be alive
	case from.Principal != in.Sender.Principal:
		return nil, nil
	}
	s := h.newSession(id, from.Principal, &KeptSession{continued: from.Continued + 1, mark: kept.Mark})
	s.peer.SetUsedIDs(from.Used)
	if err = s.mcp.Restore(in.R.Context(), in.Origin(), from.Session); err == nil {
		return s, nil
	}
	s.abandon()
	if x, ok := errors.AsType[*jsonrpc.Error](err); ok && x.Code == mcp.CodeUnsupportedProtocolVersion {
		h.opts.Logger.Warn("streamable: cannot continue a session", "error", err)
		return nil, nil
	}
	return nil, errors.Join(errSnapshot, err)
}

// The name of a request's stream, which is in the id of each of its events, has all that is needed to end it without the
// process that had it: r, the number, ! and the request's id, " and the scopes.

// maxNamedID is how many bytes an id may have to be a part of the name of a stream.
const maxNamedID = 128

// callSuffix returns the part of a stream's name that says which request the stream is for, so that a handler that
// continues the session can respond to it.
func (x *response) callSuffix() string {
	if x.session.kept == nil || x.id.IsZero() {
		return ""
	}
	// It is encoded, since names are visible ASCII, and ! and " divide their parts. A longer id is left out: if its
	// request is lost, nobody can respond to it.
	id, err := wire.Marshal(wire.Any, x.id)
	if err != nil || len(id) > maxNamedID {
		return ""
	}
	return "!" + base64.RawURLEncoding.EncodeToString(id)
}

// lostCall returns the id of the request that a stream is for, if it was received before the session was continued: the
// number of the stream says how often the session had been continued by then.
func (s *liveSession) lostCall(name string) (id wire.ID, ok bool) {
	if s.kept == nil || name[:1] != streamOfRequest {
		return wire.ID{}, false
	}
	name, _, _ = strings.Cut(name[1:], `"`)
	number, text, _ := strings.Cut(name, "!")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n>>continuedShift >= s.kept.continued {
		return wire.ID{}, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || wire.Decode(raw, &id) != nil {
		return wire.ID{}, false
	}
	return id, true
}

// endLostCall appends an error response to the stream of a request whose handler is lost, unless the stream has a
// response.
func (s *liveSession) endLostCall(ctx context.Context, name string) error {
	id, ok := s.lostCall(name)
	if !ok {
		return nil
	}
	// Of two requests that resume the stream, one appends the response and the other one finds it.
	s.order.Lock()
	defer s.order.Unlock()
	last, err := s.h.opts.Events.Last(ctx, s.id, name)
	if err != nil {
		return err
	}
	if m, err := jsonrpc.Parse(last.Data); err == nil && m.IsResponse() && m.ID == id {
		return nil
	}
	_, err = s.h.opts.Events.Append(ctx, s.id, name, jsonrpc.AppendError(nil, id, front.Unavailable(errCutOff.Error())))
	return err
}
