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
type asks struct {
	mu     sync.Mutex
	retry  bool           // questions may be asked by a result
	spent  bool           // the state that came is good for nothing any more
	name   string         // of the tool, the prompt or the resource
	about  wire.Raw       // its arguments
	used   map[string]int // how often a key, or a question without one, was asked in this run
	wanted mcp.InputRequests
	fault  error // what is wrong with an answer

	answers map[string]wire.Raw // to the questions of earlier runs
	results map[string]wire.Raw // of what is done once
}

// beginAsking takes up what came with a request that may ask: the answers, and the state. The
// state is bound to the name and the arguments of what is called.
func (c *Call) beginAsking(ctx context.Context, answers mcp.InputResponses, state *string, name string, about wire.Raw) error {
	if !c.modern() {
		return nil
	}
	a := &c.asks
	// REQ MRTR-02
	a.retry, a.name, a.about = true, name, about
	if state != nil {
		opened, err := c.server.sealer.open(ctx, c, *state)
		if err != nil {
			return err
		}
		a.answers, a.results = opened.Answers, opened.Results
	}
	for key, answer := range answers {
		u, ok := answer.(*mcp.UnknownInputResponse)
		if _, known := a.answers[key]; ok && !known {
			if a.answers == nil {
				a.answers = make(map[string]wire.Raw)
			}
			a.answers[key] = u.Raw
		}
	}
	return nil
}

// endAsking says what the call comes to if its handler had questions: a result that asks them, or
// an error. Both are nil if the handler's own result or error counts.
func (c *Call) endAsking(ctx context.Context, err error) (*mcp.InputRequiredResult, error) {
	a := &c.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !a.retry:
		return nil, nil
	case a.fault != nil:
		return nil, a.fault
	case len(a.wanted) == 0 && err != nil:
		if a.wanted, err = c.visits(err); err != nil {
			return nil, err
		}
	}
	if len(a.wanted) == 0 {
		return nil, nil
	}
	if _, ok := errors.AsType[*MissingCapabilityError](err); ok {
		return nil, err // it is of no use to ask for less than the handler needs
	}
	state, err := c.server.sealer.seal(ctx, c, sealedState{Answers: a.answers, Results: a.results})
	if err != nil {
		return nil, err
	}
	// REQ MRTR-01
	return &mcp.InputRequiredResult{InputRequests: a.wanted, RequestState: &state}, nil
}

// key returns the key of a question: the one given, or one made of what is asked.
func (a *asks) key(given, method string, params wire.Raw) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.used == nil {
		a.used = make(map[string]int)
	}
	if given != "" {
		// REQ MRTR-03
		if a.used[given]++; a.used[given] > 1 {
			return "", fmt.Errorf("server: the key %q is used for two questions of one call", given)
		}
		return given, nil
	}
	sum := sha256.Sum256(params)
	question := method + "/" + base64.RawURLEncoding.EncodeToString(sum[:9])
	n := a.used[question]
	a.used[question]++
	return question + "/" + strconv.Itoa(n), nil
}

// answer returns the answer to a question that has one, or notes that it is to be asked.
func (a *asks) answer(key string, q ask) (wire.Raw, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// REQ MRTR-02
	if !a.retry {
		return nil, ErrCannotAsk
	}
	if raw, ok := a.answers[key]; ok {
		return raw, nil
	}
	// REQ MRTR-04
	if !q.able {
		return nil, &MissingCapabilityError{Required: q.need}
	}
	if a.wanted == nil {
		a.wanted = make(mcp.InputRequests)
	}
	// REQ MRTR-01, MRTR-05
	a.wanted[key] = q.request
	return nil, ErrInputRequired
}

// askAgain asks a question whose answer does not fit again, if the client could not send another one
// with the same state. It reports whether it did.
func (a *asks) askAgain(key string, q ask) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.spent || !q.able {
		return false
	}
	delete(a.answers, key)
	if a.wanted == nil {
		a.wanted = make(mcp.InputRequests)
	}
	a.wanted[key] = q.request
	return true
}

// fail notes that an answer is not what was asked for.
func (a *asks) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fault == nil {
		a.fault = err
	}
}
