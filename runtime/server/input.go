package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Since 2026-07-28 a server cannot send requests. A handler that asks for input ends, its client receives what it asked for as
// the result, and sends the request again with the responses; the handler runs again from its start, and where it asked, it
// now finds the response. What it has learned in earlier runs travels with the request, sealed, so that any process can go on
// and none has to remember the call.
//
// A response is found by its key: the one that the handler chose, or a hash of the request. So a handler must ask for the same
// input in each run; if it does not, the call fails with an error that says so, once a response has not been used twice.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr

// An inputState has the requests for input of this run of a handler, and the responses to those of earlier
// runs. Since 2026-07-28 a server requests input by a result, and the client retries the call with its
// responses; earlier responses, and results of [Call.Once], travel in the sealed state.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
type inputState struct {
	// Mu guards what follows while the handler runs. Before that beginInput sets it, without the lock.
	mu       sync.Mutex
	retry    bool              // input may be requested by a result: in tools/call, prompts/get and resources/read since 2026-07-28
	spent    bool              // the state that was received cannot be used again
	name     string            // of the tool, the prompt or the resource
	about    wire.Raw          // its arguments, to which the state is bound
	keys     map[string]int    // how often each was used in this run
	requests mcp.InputRequests // for the result; nil if there are none
	fault    error             // what is wrong with a response

	responses map[string]wire.Raw // to requests of earlier runs
	results   map[string]wire.Raw // of [Call.Once]

	// A handler whose requests differ from one run to the next never finds the responses, and its user would be asked
	// again and again.
	arrived map[string]bool // the responses that came with this request, and whether this run has used them
	fresh   bool            // this run has made a request without a key of the handler's choice
	unused  int64           // how many runs, one after the other, have used none of those that came
}

// maxUnused is how often no response may be used: once, since a handler may no longer need what it asked for.
const maxUnused = 1

var errFresh = errors.New("the handler's request for input differs from one run to the next, so its response is not found: " +
	"identify it by Call.WithKey, or compute what differs by Call.Once or OnceValue")

// beginInput takes the input responses and the request state of a request. The state is bound to the name and the
// arguments of what is called. The state is nil in the first run; responses that come without it are used, too.
//
// REQ MRTR-02
func (c *Call) beginInput(ctx context.Context, responses mcp.InputResponses, state *string, name string, about wire.Raw) error {
	if !c.modern() {
		return nil
	}
	a := &c.input
	a.retry, a.name, a.about = true, name, about
	if state != nil {
		opened, err := c.unseal(ctx, *state)
		if err != nil {
			return err
		}
		a.responses, a.results, a.unused = opened.responses, opened.results, opened.unused
	}
	// A response says nothing about its type, so all are decoded as unknown ones; the request says what it has to be. Those of
	// the state stay, since the handler has acted on them.
	for key, response := range responses {
		u, ok := response.(*mcp.UnknownInputResponse)
		if _, known := a.responses[key]; ok && !known {
			if a.responses == nil {
				a.responses = make(map[string]wire.Raw)
			}
			if a.arrived == nil {
				a.arrived = make(map[string]bool)
			}
			a.responses[key], a.arrived[key] = u.Raw, false
		}
	}
	return nil
}

// endInput returns the result that carries the handler's requests for input, or an error. Both are nil if the
// handler's own result or error is to be sent.
//
// REQ MRTR-01
func (c *Call) endInput(ctx context.Context, err error) (*mcp.InputRequiredResult, error) {
	a := &c.input
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !a.retry:
		return nil, nil
	case a.fault != nil:
		return nil, a.fault
	case len(a.requests) == 0 && err != nil: // an error may be a request, too; any other is the caller's to send
		if a.requests, err = c.urlElicitations(err); err != nil {
			return nil, err
		}
	}
	if len(a.requests) == 0 {
		return nil, nil
	}
	if _, ok := errors.AsType[*MissingCapabilityError](err); ok {
		return nil, err // since less input than the handler needs is of no use
	}
	if a.unused = a.countUnused(); a.unused > maxUnused {
		c.server.Log().ErrorContext(ctx, "mcp: a handler does not find the response to its request for input", "method", c.req.Method, "name", a.name, "error", errFresh)
		return nil, errFresh
	}
	state, err := c.seal(sealedState{responses: a.responses, results: a.results, unused: a.unused})
	if err != nil {
		return nil, err
	}
	return &mcp.InputRequiredResult{InputRequests: a.requests, RequestState: &state}, nil
}

// countUnused returns how many runs, with this one, have used none of the responses that came. The caller holds mu.
func (a *inputState) countUnused() int64 {
	if len(a.arrived) == 0 || !a.fresh {
		return a.unused
	}
	for _, used := range a.arrived {
		if used { // the handler finds its responses
			return 0
		}
	}
	return a.unused + 1
}

// key returns the key of a request for input: the given one, or one made from the request.
//
// REQ MRTR-03
func (a *inputState) key(given, method string, params wire.Raw) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.keys == nil {
		a.keys = make(map[string]int)
	}
	if given != "" {
		if a.keys[given]++; a.keys[given] > 1 {
			return "", fmt.Errorf("server: the key %q is used twice in one call", given)
		}
		return given, nil
	}
	// Equal requests of one call are told apart by their order, which has to be the same in each run.
	sum := sha256.Sum256(params)
	request := method + "/" + base64.RawURLEncoding.EncodeToString(sum[:9])
	n := a.keys[request]
	a.keys[request]++
	return request + "/" + strconv.Itoa(n), nil
}

// response returns the response to a request for input. If there is none yet, it adds the request to the result.
// Given reports whether the handler chose the key.
//
// REQ MRTR-02, MRTR-04, MRTR-01, MRTR-05
func (a *inputState) response(key string, q mcp.InputRequest, given bool) (wire.Raw, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.retry {
		return nil, ErrCannotAsk
	}
	if raw, ok := a.responses[key]; ok {
		// That of an earlier run is in responses, too, but did not arrive with this request.
		if _, arrived := a.arrived[key]; arrived {
			a.arrived[key] = true
		}
		return raw, nil
	}
	a.ask(key, q)
	a.fresh = a.fresh || !given
	return nil, ErrInputRequired
}

// ask adds a request to the result. The caller holds mu.
func (a *inputState) ask(key string, q mcp.InputRequest) {
	if a.requests == nil {
		a.requests = make(mcp.InputRequests)
	}
	a.requests[key] = q
}

// requestAgain repeats a request whose response is not valid, if the client could not send another response
// with the same state. It reports whether it did.
func (a *inputState) requestAgain(key string, q mcp.InputRequest) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.spent {
		return false
	}
	delete(a.responses, key)
	a.ask(key, q)
	return true
}

// InputRequired reports whether the handler has requested input for which the client must retry the call, or has received
// input that is not valid: whatever the handler returns then, the client will not see it.
func (c *Call) InputRequired() bool {
	a := &c.input
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.requests) > 0 || a.fault != nil
}

// fail records that a response is not valid.
func (a *inputState) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fault == nil {
		a.fault = err
	}
}

// Once calls f unless an earlier run of the same call did so successfully. A handler that asks the client for input
// may run several times. The key identifies f within the call.
func (c *Call) Once(key string, f func() error) error {
	_, err := OnceValue(c, key, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// OnceValue calls f unless an earlier run of the same call did so successfully, and returns the result that f had then. The
// key identifies f within the call. The result travels through the client, sealed and encoded by encoding/json, so it should
// be small.
func OnceValue[T any](c *Call, key string, f func() (T, error)) (T, error) {
	var v T
	if raw, ok := c.input.result(key); ok {
		if err := json.Unmarshal(raw, &v); err != nil {
			return v, fmt.Errorf("server: OnceValue %q: %w", key, err)
		}
		return v, nil
	}
	v, err := f()
	if err != nil { // it is not remembered, so the next run calls f again
		return v, err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return v, fmt.Errorf("server: OnceValue %q: %w", key, err)
	}
	c.input.remember(key, raw)
	return v, nil
}

// result returns the result of a function of [Call.Once] in an earlier run.
func (a *inputState) result(key string) (wire.Raw, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	raw, ok := a.results[key]
	return raw, ok
}

// remember keeps the result of a function for later runs.
func (a *inputState) remember(key string, raw wire.Raw) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.results == nil {
		a.results = make(map[string]wire.Raw)
	}
	a.results[key] = raw
}
