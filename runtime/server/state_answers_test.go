package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ MRTR-13: state that is good for one use is spent by good answers alone. A bad one is asked for
// again, with new state that has the good ones and what was done, so that nothing is done twice.
func TestBadAnswerIsAskedAgain(t *testing.T) {
	s := newServer(&Options{StateOnce: OnceInMemory(0)})
	charged := 0
	add(t, s.AddTool(mcp.Tool{Name: "pay"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		if err := c.Once("charge", func() error { charged++; return nil }); err != nil {
			return nil, err
		}
		var names []string
		for _, key := range []string{"one", "two"} {
			r, err := c.WithKey(key).Elicit(ctx, form(key, "name"))
			if errors.Is(err, ErrInputRequired) {
				continue
			} else if err != nil {
				return nil, err
			}
			names = append(names, string(r.Content["name"]))
		}
		return TextResult(strings.Join(names, "+")), nil
	}))
	c := newClient(t, s, mcp.V2026_07_28, allCaps)
	next := func(last, answers string) string {
		var r required
		if err := json.Unmarshal([]byte(last), &r); err != nil {
			t.Fatal(err)
		}
		return c.Must("tools/call", fmt.Sprintf(`{"name":"pay","inputResponses":%s,"requestState":%q}`, answers, r.RequestState))
	}
	const good, bad = `{"action":"accept","content":{"name":"Ada"}}`, `{"action":"accept","content":{"name":7}}`
	result := c.Must("tools/call", `{"name":"pay"}`)
	for range 3 {
		result = next(result, `{"one":`+good+`,"two":`+bad+`}`)
		if !strings.Contains(result, `"input_required"`) || strings.Contains(result, `"one"`) || !strings.Contains(result, `"two"`) {
			t.Fatalf("after a bad answer: %s", result)
		}
	}
	contains(t, "the result", next(result, `{"two":`+good+`}`), `\"Ada\"+\"Ada\"`)
	if charged != 1 {
		t.Errorf("charged %d times", charged)
	}
}

// Without StateOnce the state is good for another try, and the client is told what is wrong.
func TestBadAnswerLeavesState(t *testing.T) {
	c := newClient(t, asker(t, nil), mcp.V2026_07_28, allCaps)
	first := c.Must("tools/call", `{"name":"ask"}`)
	c.Fails("tools/call", c.Retry(`{"name":"ask"}`, first, func(string, wire.Raw) string { return `7` }), codeInvalidParams)
	contains(t, "another try", c.Must("tools/call", c.Retry(`{"name":"ask"}`, first, accept)), "s3cretaccept")
}

// REQ MRTR-12: state is bound to arguments as they are read, exactly.
func TestStateIsBoundToArguments(t *testing.T) {
	c := newClient(t, asker(t, nil), mcp.V2026_07_28, allCaps)
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1}`, ` { "a" : 1 } `, true},
		{`{"a":1,"b":[2,{"c":null,"d":"x"}]}`, `{"b":[2,{"d":"\u0078","c":null}],"a":1}`, true},
		{`{"a":1}`, `{"a":1.0}`, false}, // no client changes how it writes a number
		{`{"a":"😀"}`, `{"a":"\ud83d\ude00"}`, true},
		{`{"a":2,"a":1}`, `{"a":2,"a":1}`, true},
		{`{"a":1}`, `{"a":2,"a":1}`, false},
		{`{"a":1}`, `{"a":1,"a":1}`, false},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":1}`, `{"A":1}`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":1e999999999999}`, `{"a":1e999999999998}`, false},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		{`{"a":0}`, `{"a":-0}`, false},
		{`{"a":["1,2"]}`, `{"a":["1","2"]}`, false},
	} {
		for range 2 {
			first := c.Must("tools/call", `{"name":"ask","arguments":`+test.a+`}`)
			result, rpc := c.Call("tools/call", c.Retry(`{"name":"ask","arguments":`+test.b+`}`, first, accept))
			if (rpc == nil) != test.same {
				t.Errorf("state for %s with %s: %s, %v", test.a, test.b, result, rpc)
			}
			test.a, test.b = test.b, test.a
		}
	}
}

// What is remembered of used state is bounded, and no client can have all of that, here or in a store.
func TestOnceInMemoryIsBounded(t *testing.T) {
	for name, once := range map[string]func(context.Context, string, time.Time) (bool, error){
		"memory": OnceInMemory(8),
		"store":  store.Once(&store.Memory{MaxRecords: 8}, OnceInMemory(8)),
	} {
		synctest.Test(t, func(t *testing.T) {
			s := asker(t, &Options{StateOnce: once})
			use := func(who string) error {
				c := newClient(t, s, mcp.V2026_07_28, allCaps)
				c.Principal = who
				_, rpc := c.Call("tools/call", c.Retry(`{"name":"ask"}`, c.Must("tools/call", `{"name":"ask"}`), accept))
				if rpc != nil {
					return rpc
				}
				return nil
			}
			limits.Shared(t, 2, func(who string) bool {
				err := use(who)
				if err != nil {
					contains(t, "the refusal", err.Error(), "try again later")
				}
				return err == nil
			})
			time.Sleep(2 * time.Hour)
			if err := use("mallory"); err != nil {
				t.Errorf("%s: when the state has expired: %v", name, err)
			}
		})
	}
}

// What state is bound to is told apart, even if it is the same in a row.
//
// REQ MRTR-11, SEC-12
func TestBindingKeepsPartsApart(t *testing.T) {
	const zeros = "\x00\x00\x00\x00\x00\x00\x00\x00"
	for _, test := range [][2][2]string{{{"ada", "b"}, {"ad", "ab"}}, {{zeros, ""}, {"", zeros}}} {
		var got [2][]byte
		for i, parts := range test {
			c := &Call{req: &transport.Request{Method: parts[1], Origin: transport.Origin{Principal: parts[0]}}}
			got[i] = c.binding()
		}
		if bytes.Equal(got[0], got[1]) {
			t.Errorf("the principals and methods %q are taken for each other", test)
		}
	}
}
