package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// inputOptions are those of a client that answers everything.
func inputOptions() *Options {
	return &Options{
		Info:  testInfo,
		Roots: []mcp.Root{{URI: "file:///r"}},
		Sample: func(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "m",
				Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "hi"}}}, nil
		},
		Elicit: elicit.Handler{
			Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				return elicit.Accept(map[string]int{"n": 3})
			},
			URL: func(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
				return mcp.ElicitResultActionAccept, nil
			},
		},
	}
}

const (
	askElicit = `{"method":"elicitation/create","params":{"mode":"form","message":"m",` +
		`"requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}}`
	askURL    = `{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://x"}}`
	askSample = `{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}}`
	askRoots  = `{"method":"roots/list"}`
)

// rounds answers a request by the given results, one after another.
func rounds(results ...string) func(*received) (string, error) {
	return func(*received) (string, error) {
		r := results[0]
		if len(results) > 1 {
			results = results[1:]
		}
		return r, nil
	}
}

// REQ MRTR-01 MRTR-03 MRTR-06 MRTR-07 MRTR-08 MRTR-09 MRTR-15 STATE-12 ROOT-03 SAMP-02 SAMP-15 ELIC-05 ELIC-11 ELIC-21 AMB-07
func TestInput(t *testing.T) {
	t.Parallel()
	const call = `tools/call {"_meta":{},"name":"t","arguments":{"a":1}}`
	again := func(members string) string {
		return `tools/call {"_meta":{},` + members + `"name":"t","arguments":{"a":1}}`
	}
	done := `{"resultType":"complete","content":[]}`
	for name, test := range map[string]struct {
		results []string
		change  func(*Options)
		sent    []string
		err     string
	}{
		"everything": {
			results: []string{
				`{"resultType":"input_required","inputRequests":{"e":` + askElicit + `,"r":` + askRoots + `,"s":` + askSample + `,"u":` + askURL + `},"requestState":"a\u0000\u2028\"é"}`,
				done,
			},
			sent: []string{call, again(`"inputResponses":{"e":{"action":"accept","content":{"n":3}},"r":{"roots":[{"uri":"file:///r"}]},` +
				`"s":{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"},"u":{"action":"accept"}},"requestState":"a\u0000` + "\u2028" + `\"é",`)},
		},
		"state alone, then a request alone, then done": {
			results: []string{
				`{"resultType":"input_required","requestState":"1"}`,
				`{"resultType":"input_required","inputRequests":{"r":` + askRoots + `}}`,
				done,
			},
			sent: []string{call, again(`"requestState":"1",`), again(`"inputResponses":{"r":{"roots":[{"uri":"file:///r"}]}},`)},
		},
		"an empty state is a state": {
			results: []string{`{"resultType":"input_required","requestState":""}`, done},
			sent:    []string{call, again(`"requestState":"",`)},
		},
		"params of null": {
			results: []string{`{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list","params":null}}}`, done},
			sent:    []string{call, again(`"inputResponses":{"r":{"roots":[{"uri":"file:///r"}]}},`)},
		},
		"declined": {
			results: []string{`{"resultType":"input_required","inputRequests":{"e":` + askElicit + `}}`, done},
			change: func(o *Options) {
				o.Elicit = elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
					return elicit.Decline(), nil
				}}
			},
			sent: []string{call, again(`"inputResponses":{"e":{"action":"decline"}},`)},
		},
		"too many rounds": {
			results: []string{`{"resultType":"input_required","requestState":"1"}`},
			sent:    append([]string{call}, slices.Repeat([]string{again(`"requestState":"1",`)}, MaxRounds)...),
			err:     "tools/call: the server still asks for input after 10 rounds",
		},
		"rejected": {
			results: []string{`{"resultType":"input_required","inputRequests":{"s":` + askSample + `}}`},
			change: func(o *Options) {
				o.Sample = func(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
					return nil, ErrRejected
				}
			},
			sent: []string{call},
			err:  `tools/call: the server asks for input "s" by sampling/createMessage: User rejected sampling request (-1)`,
		},
		"undeclared": {
			results: []string{`{"resultType":"input_required","inputRequests":{"r":` + askRoots + `}}`},
			change:  func(o *Options) { o.Roots = nil },
			sent:    []string{call},
			err:     `tools/call: the server asks for input "r" by roots/list: wire: unknown method`,
		},
		"undeclared mode": {
			results: []string{`{"resultType":"input_required","inputRequests":{"u":` + askURL + `}}`},
			change:  func(o *Options) { o.Elicit = elicit.Handler{Form: noElicit} },
			sent:    []string{call},
			err: `tools/call: the server asks for input "u" by elicitation/create: ` +
				`the client did not declare elicitation by URLs (-32602)`,
		},
		"undeclared tools": {
			results: []string{`{"resultType":"input_required","inputRequests":{"s":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5,"tools":[]}}}}`},
			sent:    []string{call},
			err: `tools/call: the server asks for input "s" by sampling/createMessage: ` +
				`sampling with tools was not declared by the client (-32602)`,
		},
		"cancelled, with content": {
			results: []string{`{"resultType":"input_required","inputRequests":{"e":` + askElicit + `}}`, done},
			change: func(o *Options) {
				o.Elicit = elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: mcp.ElicitResultActionCancel, Content: map[string]wire.Raw{"n": wire.Raw("3")}}, nil
				}}
			},
			sent: []string{call, again(`"inputResponses":{"e":{"action":"cancel"}},`)},
		},
		"unknown": {
			results: []string{`{"resultType":"input_required","inputRequests":{"x":{"method":"x/y"}}}`},
			sent:    []string{call},
			err:     `tools/call: the server asks for input "x" by x/y: wire: unknown method`,
		},
		"nonsense": {
			results: []string{`{"resultType":"input_required","inputRequests":{"x":{"method":"elicitation/create"}}}`},
			sent:    []string{call},
			err:     `tools/call: InputRequiredResult: missing required member: inputRequests.x.params`,
		},
		"an answer that does not fit": {
			results: []string{`{"resultType":"input_required","inputRequests":{"e":` + askElicit + `}}`},
			change: func(o *Options) {
				o.Elicit = elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
					return elicit.Accept(map[string]string{"n": "x"})
				}}
			},
			sent: []string{call},
			err:  `tools/call: the server asks for input "e" by elicitation/create: form: "n": want number, got string`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				opts := inputOptions()
				if test.change != nil {
					test.change(opts)
				}
				c, f := dial(t, modernServer(script{"tools/call": rounds(test.results...)}), opts)
				params := &mcp.CallToolRequestParams{Name: "t", Arguments: wire.Raw(`{"a":1}`)}
				_, err := c.CallTool(t.Context(), params)
				if got := errorText(err); got != test.err {
					t.Errorf("error %q, want %q", got, test.err)
				}
				sent := f.sent()
				for i := range sent {
					sent[i] = withoutMeta(sent[i])
				}
				if diff := cmp.Diff(test.sent, sent); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
				if params.InputResponses != nil || params.RequestState != nil || params.Meta != nil {
					t.Error("the caller's params were changed")
				}
			})
		})
	}
}

// All three methods that may ask for input do, with params of any type. What comes back is the state
// that the server gave, and none where it gave none.
//
// REQ MRTR-06 MRTR-07 MRTR-08 TOOL-13 PRM-04
func TestInputStates(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ids := map[string]bool{}
		ask := func(last string) func(*received) (string, error) {
			answer := rounds(
				`{"resultType":"input_required","inputRequests":{"r":`+askRoots+`}}`,
				`{"resultType":"input_required","requestState":" é\u0000=?"}`,
				`{"resultType":"input_required","inputRequests":{"r":`+askRoots+`}}`, last)
			return func(r *received) (string, error) {
				if id := r.id.String(); ids[id] {
					t.Errorf("the id %s is given twice", id)
				} else {
					ids[id] = true
				}
				return answer(r)
			}
		}
		c, f := dial(t, modernServer(script{
			"tools/call": ask(emptyResult), "prompts/get": ask(`{"messages":[]}`), "resources/read": ask(`{"contents":[]}`),
		}), inputOptions())
		for params, call := range map[string]func() error{
			`tools/call {"_meta":{},<again>"name":"t"}`: func() error {
				_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"})
				return err
			},
			`prompts/get {"_meta":{},<again>"name":"p","arguments":{"a":"b"}}`: func() error {
				_, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "p", Arguments: map[string]string{"a": "b"}})
				return err
			},
			`resources/read {"_meta":{},"uri":"a:b"<again>}`: func() error {
				_, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "a:b"})
				return err
			},
		} {
			f.forget()
			if err := call(); err != nil {
				t.Error(err)
			}
			const roots = `"inputResponses":{"r":{"roots":[{"uri":"file:///r"}]}},`
			var want, got []string
			for _, again := range []string{"", roots, `"requestState":" é\u0000=?",`, roots} {
				if before, after, _ := strings.Cut(params, "<again>"); after == "}" && again != "" {
					want = append(want, before+","+strings.TrimSuffix(again, ",")+after)
				} else {
					want = append(want, before+again+after)
				}
			}
			for _, line := range f.sent() {
				got = append(got, withoutMeta(line))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		}
	})
}

// A call that waits for a person keeps its own state, whatever states other calls get meanwhile.
//
// REQ MRTR-10
func TestInputWhileOthersAsk(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := modernServer(script{"tools/call": func(r *received) (string, error) {
			p := new(mcp.CallToolRequestParams)
			if err := wire.Decode(r.params, p); err != nil {
				return "", err
			}
			if p.RequestState == nil {
				return `{"resultType":"input_required","requestState":"` + p.Name + `","inputRequests":{"` + p.Name + `":` + askElicit + `}}`, nil
			}
			if *p.RequestState != p.Name || len(p.InputResponses) != 1 || p.InputResponses[p.Name] == nil {
				return "", &jsonrpc.Error{Code: 1, Message: fmt.Sprintf("%s came with the state %s", p.Name, *p.RequestState)}
			}
			return emptyResult, nil
		}})
		opts := inputOptions()
		first, goOn := make(chan bool, 1), make(chan bool)
		first <- true
		opts.Elicit = elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			select {
			case <-first:
				<-goOn // only the first waits
			default:
			}
			return elicit.Decline(), nil
		}}
		c, _ := dial(t, server, opts)
		done := make(chan error)
		go func() {
			_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "waits"})
			done <- err
		}()
		synctest.Wait()
		for i := range 3 {
			if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: fmt.Sprint(i)}); err != nil {
				t.Error(err)
			}
		}
		close(goOn)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// All three methods ask by params of any type, and nothing of it is kept.
//
// REQ MRTR-16
func TestInputMethods(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ask := `{"resultType":"input_required","inputRequests":{"r":` + askRoots + `}}`
		server := modernServer(script{
			"tools/call":     rounds(ask, emptyResult, ask, emptyResult),
			"prompts/get":    rounds(ask, `{"messages":[]}`),
			"resources/read": rounds(ask, `{"contents":[],"ttlMs":60000,"cacheScope":"public"}`),
		})
		c, f := dial(t, server, inputOptions())
		ctx := t.Context()
		_, err1 := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "t"})
		err2 := c.Call(ctx, &mcp.MethodCallTool, wire.Raw(`{"name":"t"}`), new(wire.Raw))
		_, err3 := c.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: "p"})
		_, err4 := c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "a:b"})
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		// REQ MRTR-16
		if _, err := c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "a:b"}); err != nil || f.count("resources/read") != 3 {
			t.Errorf("a result that took input was cached: %v, %q", err, f.sent())
		}
	})
}

// A caller whose result may be a request for input handles it itself.
func TestManualInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opts := inputOptions()
		opts.Roots = nil
		server := modernServer(script{"tools/call": rounds(`{"resultType":"input_required","requestState":"1"}`, emptyResult)})
		c, f := dial(t, server, opts)
		params := &mcp.CallToolRequestParams{Name: "t"}
		calls := mcp.ServerCalls{Caller: c}
		answer, err := calls.CallToolResponse(WithManualInput(t.Context()), params)
		if err != nil {
			t.Fatal(err)
		}
		params.RequestState = answer.(*mcp.InputRequiredResult).RequestState
		if _, err := c.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		want := []string{`tools/call {"_meta":{},"name":"t"}`, `tools/call {"_meta":{},"requestState":"1","name":"t"}`}
		if sent := f.sent(); withoutMeta(sent[0]) != want[0] || withoutMeta(sent[1]) != want[1] {
			t.Errorf("sent %q, want %q", sent, want)
		}
	})
}

// Calls that are under way at the same time do not mix up their states and answers.
//
// REQ MRTR-10
func TestInputConcurrent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := modernServer(script{"tools/call": func(r *received) (string, error) {
			p := new(mcp.CallToolRequestParams)
			if err := wire.Decode(r.params, p); err != nil {
				return "", err
			}
			time.Sleep(time.Second) // so that all of them are at work
			switch {
			case p.RequestState == nil:
				return `{"resultType":"input_required","requestState":"` + p.Name + `","inputRequests":{"` + p.Name + `":` + askRoots + `}}`, nil
			case *p.RequestState != p.Name || len(p.InputResponses) != 1 || p.InputResponses[p.Name] == nil:
				return "", jsonrpc.ErrInvalidParams
			}
			return emptyResult, nil
		}})
		c, _ := dial(t, server, inputOptions())
		var calls sync.WaitGroup
		for i := range 20 {
			calls.Go(func() {
				if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: fmt.Sprint(i)}); err != nil {
					t.Errorf("call %d: %v", i, err)
				}
			})
		}
		calls.Wait()
	})
}

// A request that the server cancels ends its handler, and is not answered.
//
// REQ CANC-05
func TestServerCancels(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ended := make(chan error, 1)
		opts := inputOptions()
		opts.Revisions = []wire.Revision{mcp.V2025_11_25}
		opts.Elicit = elicit.Handler{Form: func(ctx context.Context, _ *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return elicit.Decline(), nil
		}}
		_, f := dial(t, legacyServer(nil), opts)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		params := wire.Raw(`{"message":"m","requestedSchema":{"type":"object","properties":{}}}`)
		if err := f.conn.CallWith(ctx, "elicitation/create", params, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := <-ended; !errors.As(err, new(*jsonrpc.CancelledError)) {
			t.Errorf("the handler ended with %v", err)
		}
	})
}

// Handlers see the context of the call, and end with it.
func TestInputContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		opts := inputOptions()
		opts.Elicit = elicit.Handler{Form: func(ctx context.Context, _ *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			cancel(errors.New("enough"))
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}}
		server := modernServer(script{"tools/call": always(`{"resultType":"input_required","inputRequests":{"e":` + askElicit + `}}`)})
		c, f := dial(t, server, opts)
		_, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "t"})
		if input := (*InputError)(nil); !errors.As(err, &input) || input.Err.Error() != "enough" || len(f.sent()) != 1 {
			t.Errorf("%v, %q", err, f.sent())
		}
	})
}

// The handlers that answer requests for input answer requests of older servers, too.
//
// REQ CAP-11 SEC-16 ROOT-02 ROOT-06 SAMP-10 ELIC-02 ELIC-03 ELIC-04 ELIC-11 TASK-12 JRPC-14 JRPC-15 PING-01
func TestServerRequests(t *testing.T) {
	t.Parallel()
	form := `{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}`
	several := `{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"array","items":{"type":"string","enum":["a"]}}}}}`
	choices := func(o *Options) {
		o.Elicit = elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return elicit.Accept(map[string][]string{"n": {"a"}})
		}}
	}
	for name, test := range map[string]struct {
		rev            wire.Revision
		change         func(*Options)
		method, params string
		want, err      string
	}{
		"roots":                {mcp.V2025_11_25, nil, "roots/list", ``, `{"roots":[{"uri":"file:///r"}]}`, ""},
		"roots, undeclared":    {mcp.V2025_11_25, func(o *Options) { o.Roots = nil }, "roots/list", ``, "", "method not found: roots/list (-32601)"},
		"ping":                 {mcp.V2024_11_05, nil, "ping", ``, `{}`, ""},
		"sampling":             {mcp.V2024_11_05, nil, "sampling/createMessage", `{"messages":[],"maxTokens":1}`, `{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}`, ""},
		"sampling with tools":  {mcp.V2025_11_25, nil, "sampling/createMessage", `{"messages":[],"maxTokens":1,"toolChoice":{}}`, "", "sampling with tools was not declared by the client (-32602)"},
		"sampling, bad params": {mcp.V2025_11_25, nil, "sampling/createMessage", `{"messages":[]}`, "", "invalid params: CreateMessageRequestParams: missing required member: maxTokens (-32602)"},
		"elicitation, 2025-06": {mcp.V2025_06_18, nil, "elicitation/create", form, `{"action":"accept","content":{"n":3}}`, ""},
		"elicitation, 2025-03": {mcp.V2025_03_26, nil, "elicitation/create", form, "", "method not found: elicitation/create (-32601)"},
		"elicitation by URL":   {mcp.V2025_11_25, nil, "elicitation/create", `{"mode":"url","message":"m","url":"https://x","elicitationId":"1"}`, `{"action":"accept"}`, ""},
		"elicitation of a script": {mcp.V2025_11_25, nil, "elicitation/create", `{"mode":"url","message":"m","url":"javascript:alert(1)","elicitationId":"1"}`, "",
			`elicitation: "javascript:alert(1)" is not a URL of https or http (-32602)`},
		"elicitation, unknown mode": {mcp.V2025_11_25, nil, "elicitation/create", `{"mode":"smell"}`, "", `unknown mode of elicitation: "smell" (-32602)`},
		"elicitation, undeclared mode": {mcp.V2025_11_25, func(o *Options) { o.Elicit = elicit.Handler{URL: noElicitURL} }, "elicitation/create", form, "",
			"the client did not declare elicitation by forms (-32602)"},
		"elicitation of several choices": {mcp.V2025_11_25, choices, "elicitation/create", several, `{"action":"accept","content":{"n":["a"]}}`, ""},
		"elicitation of several choices, 2025-06": {mcp.V2025_06_18, choices, "elicitation/create", several, "",
			`form: "n": want string, number or boolean, got array (-32603)`},
		"unknown": {mcp.V2025_11_25, nil, "x/y", `{}`, "", "method not found: x/y (-32601)"},
		"custom": {mcp.V2025_11_25, func(o *Options) {
			o.Methods = []Method{handleRequest("x/y", func(_ context.Context, params *wire.Raw) (wire.Encodable, error) {
				return wire.Raw(`{"got":` + string(*params) + `}`), nil
			})}
		}, "x/y", `{"a":1}`, `{"got":{"a":1}}`, ""},
		"sampling with a list of tools": {mcp.V2025_11_25, nil, "sampling/createMessage", `{"messages":[],"maxTokens":1,"tools":[]}`, "", "sampling with tools was not declared by the client (-32602)"},
		"sampling with tools, declared": {mcp.V2025_11_25, func(o *Options) { o.Capabilities.Sampling = &mcp.ClientCapabilitiesSampling{Tools: mcp.JSONObject{}} }, "sampling/createMessage", `{"messages":[],"maxTokens":1,"tools":[],"toolChoice":{}}`,
			`{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}`, ""},
		"modern servers do not ping":      {mcp.V2026_07_28, nil, "ping", ``, "", "ping: no response within 1s"},
		"modern servers send no requests": {mcp.V2026_07_28, nil, "roots/list", ``, "", "roots/list: no response within 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				opts := inputOptions()
				opts.Revisions = []wire.Revision{test.rev}
				if test.change != nil {
					test.change(opts)
				}
				_, f := dial(t, modernServer(legacyServer(nil)), opts)
				got, err := f.request(test.method, test.params)
				if got != test.want || errorText(err) != test.err {
					t.Errorf("%s, %v", got, err)
				}
			})
		})
	}
}

// A handler that returns nothing, or something odd, gives an error.
func TestHandlerNonsense(t *testing.T) {
	t.Parallel()
	c, err := newClient(t.Context(), &Options{Sample: noSample, Elicit: elicit.Handler{Form: noElicit, URL: noElicitURL}})
	if err != nil {
		t.Fatal(err)
	}
	h := builtin{client: c}
	_, err1 := h.CreateMessage(t.Context(), new(mcp.CreateMessageRequestParams))
	_, err2 := h.Elicit(t.Context(), new(mcp.ElicitRequestFormParams))
	_, err3 := h.Elicit(t.Context(), &mcp.ElicitRequestURLParams{URL: "https://x"})
	got := []string{errorText(err1), errorText(err2), errorText(err3)}
	want := []string{
		"the sampling handler returned no result",
		"the elicitation handler returned no result",
		`the elicitation handler returned the action "", want accept, decline or cancel`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
