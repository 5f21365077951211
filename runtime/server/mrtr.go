package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// From 2026-07-28 on a server asks for input by a result that says so, and the client sends the
// request again with the answers. Asks are what a call knows of the questions of this run and of
// those before. Earlier answers and remembered results travel in the sealed state.
type inputState struct {
	mu       sync.Mutex
	retry    bool           // questions may be asked by a result
	spent    bool           // the state that came is good for nothing any more
	name     string         // of the tool, the prompt or the resource
	about    wire.Raw       // its arguments
	keys     map[string]int // how often a key, or a question without one, was asked in this run
	requests mcp.InputRequests
	fault    error // what is wrong with an answer

	responses map[string]wire.Raw // to the questions of earlier runs
	results   map[string]wire.Raw // of what is done once
}

// beginInput takes up what came with a request that may ask: the answers, and the state. The
// state is bound to the name and the arguments of what is called.
func (c *Call) beginInput(ctx context.Context, answers mcp.InputResponses, state *string, name string, about wire.Raw) error {
	if !c.modern() {
		return nil
	}
	a := &c.input
	// REQ MRTR-02
	a.retry, a.name, a.about = true, name, about
	if state != nil {
		opened, err := c.server.sealer.open(ctx, c, *state)
		if err != nil {
			return err
		}
		a.responses, a.results = opened.Answers, opened.Results
	}
	for key, answer := range answers {
		u, ok := answer.(*mcp.UnknownInputResponse)
		if _, known := a.responses[key]; ok && !known {
			if a.responses == nil {
				a.responses = make(map[string]wire.Raw)
			}
			a.responses[key] = u.Raw
		}
	}
	return nil
}

// endInput says what the call comes to if its handler had questions: a result that asks them, or
// an error. Both are nil if the handler's own result or error counts.
func (c *Call) endInput(ctx context.Context, err error) (*mcp.InputRequiredResult, error) {
	a := &c.input
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !a.retry:
		return nil, nil
	case a.fault != nil:
		return nil, a.fault
	case len(a.requests) == 0 && err != nil:
		if a.requests, err = c.urlElicitations(err); err != nil {
			return nil, err
		}
	}
	if len(a.requests) == 0 {
		return nil, nil
	}
	if _, ok := errors.AsType[*MissingCapabilityError](err); ok {
		return nil, err // it is of no use to ask for less than the handler needs
	}
	state, err := c.server.sealer.seal(ctx, c, sealedState{Answers: a.responses, Results: a.results})
	if err != nil {
		return nil, err
	}
	// REQ MRTR-01
	return &mcp.InputRequiredResult{InputRequests: a.requests, RequestState: &state}, nil
}

// key returns the key of a question: the one given, or one made of what is asked.
func (a *inputState) key(given, method string, params wire.Raw) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.keys == nil {
		a.keys = make(map[string]int)
	}
	if given != "" {
		// REQ MRTR-03
		if a.keys[given]++; a.keys[given] > 1 {
			return "", fmt.Errorf("server: the key %q is used for two questions of one call", given)
		}
		return given, nil
	}
	sum := sha256.Sum256(params)
	question := method + "/" + base64.RawURLEncoding.EncodeToString(sum[:9])
	n := a.keys[question]
	a.keys[question]++
	return question + "/" + strconv.Itoa(n), nil
}

// response returns the answer to a question that has one, or notes that it is to be asked.
func (a *inputState) response(key string, q inputRequest) (wire.Raw, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// REQ MRTR-02
	if !a.retry {
		return nil, ErrCannotAsk
	}
	if raw, ok := a.responses[key]; ok {
		return raw, nil
	}
	// REQ MRTR-04
	if !q.able {
		return nil, &MissingCapabilityError{Required: q.need}
	}
	if a.requests == nil {
		a.requests = make(mcp.InputRequests)
	}
	// REQ MRTR-01, MRTR-05
	a.requests[key] = q.input
	return nil, ErrInputRequired
}

// requestAgain asks a question whose answer does not fit again, if the client could not send another one
// with the same state. It reports whether it did.
func (a *inputState) requestAgain(key string, q inputRequest) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.spent || !q.able {
		return false
	}
	delete(a.responses, key)
	if a.requests == nil {
		a.requests = make(mcp.InputRequests)
	}
	a.requests[key] = q.input
	return true
}

// fail notes that an answer is not what was asked for.
func (a *inputState) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fault == nil {
		a.fault = err
	}
}
