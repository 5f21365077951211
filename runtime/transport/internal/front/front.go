// Package front is what the handlers of both HTTP transports do with a request before they look at its message, in this
// order: is the request for this server, and may its page send it; who sends it; is it admitted, and is there room for it;
// is its body JSON; is there room for the body, and does it arrive in time. So what is refused costs little. It also has
// the responses that do not stay open.
package front

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webguard"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configures a [Front]. What has no comment here is an option of package streamable.
type Options struct {
	Hosts, Origins []string

	Auth    webauth.Authorizer
	Address func(*http.Request) string
	Admit   func(from transport.Origin) *transport.RefusedError

	MaxRequests, MaxMessage, MaxBytes int // New knows their defaults
	ReadTimeout, WriteTimeout         time.Duration

	Logger *slog.Logger

	Methods []string // that the handler serves
	Free    int      // how many bytes of each body do not count for MaxBytes
	Text    bool     // refusals are plain text, not JSON-RPC
}

// A Front receives the requests of a handler. Its methods that report whether to go on have responded if not.
type Front struct {
	Guard webauth.Guard

	opts     Options
	methods  string
	pages    webguard.Guard
	refusals webguard.Refusals
	requests share.Room // Options.MaxRequests
	bodies   share.Room // Options.MaxBytes
}

// New returns a front.
func New(o *Options) *Front {
	f := &Front{opts: *o, methods: strings.Join(o.Methods, ", ")}
	f.opts.MaxMessage = option.Limit(o.MaxMessage, 4<<20)
	f.refusals.Logger = o.Logger
	f.pages = webguard.Guard{Hosts: o.Hosts, Origins: o.Origins, Methods: f.methods}
	f.Guard = webauth.Guard{Auth: o.Auth, Address: o.Address, Timeout: o.WriteTimeout, Logger: o.Logger, Refusals: &f.refusals}
	f.requests = share.Room{Max: option.Limit(o.MaxRequests, 20_000)}
	f.bodies = share.Room{Max: option.Limit(o.MaxBytes, 256<<20)}
	return f
}

// An Incoming is a request.
type Incoming struct {
	R       *http.Request
	Sender  webauth.Sender
	Address string
	Owner   share.Owner // of what the request makes the handler keep
	Body    []byte
	Msg     jsonrpc.Message
	Err     error // what is wrong with Msg
	Held    int   // bytes of the body that count
	Moved   bool  // what the request takes is given back by [Front.GiveBack], and not by [Front.Dismiss]
}

// Origin returns where the request comes from.
func (in *Incoming) Origin() transport.Origin {
	return transport.Origin{Identity: in.Sender.Identity, Principal: in.Sender.Principal, Address: in.Address, Header: in.R.Header}
}

// ID returns the id for the error response to a message that is refused. Only a request has one: with the id of a
// response, the client could take the error for that of a request of its own.
//
// REQ JRPC-06
func (in *Incoming) ID() wire.ID {
	if e, ok := in.Err.(*jsonrpc.Error); ok && e.Code == jsonrpc.CodeParseError || in.Msg.IsResponse() {
		return wire.ID{}
	}
	return in.Msg.ID
}

// Check checks the host, the page and the method of a request, and responds to the preflight requests of browsers.
//
// REQ HTTP-02, HTTP-03, SEC-17, SSE-05, HTTP-01, SSE-01
func (f *Front) Check(w http.ResponseWriter, r *http.Request) bool {
	if err := f.pages.Check(w.Header(), r); err != nil {
		f.refusals.Log(slog.LevelWarn, r, err)
		f.TurnAway(w, r, http.StatusForbidden, Invalid(err.Error()))
		return false
	}
	if r.Method != http.MethodPost {
		f.LeaveBody(w, r)
	}
	switch {
	case slices.Contains(f.opts.Methods, r.Method):
		return true
	case webguard.IsPreflight(r):
		f.pages.Preflight(w.Header(), r)
		f.Status(w, http.StatusNoContent)
	default:
		f.NotAllowed(w, f.methods)
	}
	return false
}

// Admit determines the sender of a request, and makes room for it, unless Options.Admit refuses it. [Front.Dismiss] must
// follow if it returns true.
//
// REQ AUTH-06, AUTH03-01, SEC-10
func (f *Front) Admit(w http.ResponseWriter, in *Incoming) bool {
	var err error
	if in.Sender, err = f.Guard.Sender(in.R); err != nil {
		f.LeaveBody(w, in.R)
		f.Guard.Refuse(w, in.R, err, webauth.Unauthorized(err))
		return false
	}
	in.Address = in.R.RemoteAddr
	if f.opts.Address != nil {
		in.Address = f.opts.Address(in.R)
	}
	in.Owner = share.Of(in.Sender.Principal, in.Address, nil)
	if f.opts.Admit != nil {
		if refused := f.opts.Admit(in.Origin()); refused != nil {
			f.refusals.Log(slog.LevelInfo, in.R, refused)
			w.Header().Set("Retry-After", webguard.RetryAfter(refused.RetryAfter))
			f.TurnAway(w, in.R, http.StatusTooManyRequests, refused.Err)
			return false
		}
	}
	if !f.requests.Take(in.Owner, 1) {
		f.TurnAway(w, in.R, http.StatusServiceUnavailable, Unavailable("there are too many requests at the same time; try again later"))
		return false
	}
	return true
}

// Dismiss gives back the room of a request, unless another function will.
func (f *Front) Dismiss(in *Incoming) {
	if !in.Moved {
		f.GiveBack(in.Owner, in.Held)
	}
}

// GiveBack gives back the room of a request, and that of its body.
func (f *Front) GiveBack(owner share.Owner, held int) {
	f.requests.Give(owner, 1)
	f.GiveBody(owner, held)
}

// GiveBody gives back the room of a body.
func (f *Front) GiveBody(owner share.Owner, held int) {
	if held > 0 {
		f.bodies.Give(owner, held)
	}
}

// Permit returns the scopes that a message, or a batch of at most most messages, requires, and reports whether its sender
// has them. As has what the transport knows about the message.
func (f *Front) Permit(w http.ResponseWriter, in *Incoming, c webauth.Checker, as *transport.Request, most int) (scopes []string, ok bool) {
	scopes, err := webauth.Check(in.R.Context(), c, as, &in.Msg, in.Body, most)
	if err != nil {
		f.RefuseScopes(w, in.R, in.Msg.ID, err)
	}
	return scopes, err == nil
}

// Undo takes back what Check has set in the header of a response that another handler is to write.
func (f *Front) Undo(w http.ResponseWriter) { f.pages.Undo(w.Header()) }
