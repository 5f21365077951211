package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A required is an InputRequiredResult as it came.
type required struct {
	ResultType    string `json:"resultType"`
	InputRequests map[string]struct {
		Method string
		Params wire.Raw
	} `json:"inputRequests"`
	RequestState string `json:"requestState"`
}

// REQ ELIC-03, ELIC-04, ELIC-11, MRTR-01, MRTR-03: the same handler, with an effect before the
// question, in both eras.
func TestElicitWithOnce(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		created, deleted, runs := 0, 0, 0
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "book"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			runs++
			id, err := OnceValue(c, "create", func() (int, error) { created++; return 40 + created, nil })
			if err != nil {
				return nil, err
			}
			if err := c.Once("delete", func() error { deleted++; return nil }); err != nil {
				return nil, err
			}
			r, err := c.Elicit(ctx, form("Who travels?", "name"))
			if err != nil {
				return nil, err
			}
			return TextResult(fmt.Sprintf("%d for %s", id, r.Content["name"])), nil
		}))
		c := newClient(t, s, rev, `{"elicitation":{}}`)
		result, rounds := c.Complete("tools/call", `{"name":"book"}`, func(method string, params wire.Raw) string {
			equal(t, "method", method, "elicitation/create")
			equal(t, "params", string(params), `{"mode":"form","message":"Who travels?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`)
			return `{"action":"accept","content":{"name":"Ada"}}`
		})
		contains(t, "result", result, `41 for \"Ada\"`)
		if created != 1 || deleted != 1 || runs != rounds {
			t.Errorf("created %d, deleted %d, %d runs in %d rounds", created, deleted, runs, rounds)
		}
		if want := 1 + int(rev/mcp.Modern); rounds != want {
			t.Errorf("%d rounds, want %d", rounds, want)
		}
	})
}

// A handler that takes the error of a question for a failure, and goes on, still asks it.
func TestSwallowedQuestion(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "greet"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			r, err := c.Elicit(ctx, form("Name?", "name"))
			if err != nil {
				return TextResult("hello stranger"), nil
			}
			return TextResult("hello " + string(r.Content["name"])), nil
		}))
		c := newClient(t, s, rev, allCaps)
		result, _ := c.Complete("tools/call", `{"name":"greet"}`, func(string, wire.Raw) string {
			return `{"action":"accept","content":{"name":"Ada"}}`
		})
		contains(t, "result", result, `hello \"Ada\"`)
	})
}

// REQ MRTR-05: questions in a loop find their own answers, also where they are the same.
func TestQuestionsInALoop(t *testing.T) {
	for _, test := range []struct {
		name   string
		ask    func(ctx context.Context, c *Call, i int) (*mcp.ElicitResult, error)
		rounds int
	}{
		{"different", func(ctx context.Context, c *Call, i int) (*mcp.ElicitResult, error) {
			return c.Elicit(ctx, form(fmt.Sprint("Name ", i), "name"))
		}, 3},
		{"same", func(ctx context.Context, c *Call, i int) (*mcp.ElicitResult, error) {
			return c.Elicit(ctx, form("Name", "name"))
		}, 3},
		{"with keys", func(ctx context.Context, c *Call, i int) (*mcp.ElicitResult, error) {
			return c.WithKey(fmt.Sprint("k", i)).Elicit(ctx, form(time.Now().String(), "name"))
		}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			eras(t, func(t *testing.T, rev wire.Revision) {
				s := newServer(nil)
				add(t, s.AddTool(mcp.Tool{Name: "all"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					var got []string
					for i := range 2 {
						r, err := test.ask(ctx, c, i)
						if err != nil {
							return nil, err
						}
						got = append(got, string(r.Content["name"]))
					}
					return TextResult(strings.Join(got, " ")), nil
				}))
				n := 0
				c := newClient(t, s, rev, allCaps)
				result, rounds := c.Complete("tools/call", `{"name":"all"}`, func(string, wire.Raw) string {
					n++
					return fmt.Sprintf(`{"action":"accept","content":{"name":"n%d"}}`, n)
				})
				contains(t, "result", result, `\"n1\" \"n2\"`)
				if rev >= mcp.Modern && rounds != test.rounds {
					t.Errorf("%d rounds, want %d", rounds, test.rounds)
				}
			})
		})
	}
}

// REQ MRTR-01, MRTR-03, ROOT-02, ROOT-03, SAMP-02: all questions of one run stand in one result.
func TestSeveralQuestionsAtOnce(t *testing.T) {
	s := newServer(nil)
	handler := func(ctx context.Context, c *Call) (string, error) {
		e, err1 := c.WithKey("user_name").Elicit(ctx, form("Name?", "name"))
		m, err2 := c.WithKey("greeting").CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 9,
			Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "Greet"}}}}})
		r, err3 := c.WithKey("client_roots").ListRoots(ctx)
		if err := errors.Join(err1, err2, err3); err != nil {
			return "", err
		}
		return fmt.Sprint(string(e.Content["name"]), m.Content[0].(*mcp.TextContent).Text, r.Roots[0].URI), nil
	}
	add(t, s.AddTool(mcp.Tool{Name: "all"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		text, err := handler(ctx, c)
		return TextResult(text), err
	}))
	add(t, s.AddPrompt(mcp.Prompt{Name: "all"}, func(ctx context.Context, c *Call, _ map[string]string) (*mcp.GetPromptResult, error) {
		text, err := handler(ctx, c)
		return &mcp.GetPromptResult{Description: text}, err
	}))
	add(t, s.AddResource(mcp.Resource{URI: "a:all", Name: "all"}, func(ctx context.Context, c *Call, _ string) (*mcp.ReadResourceResult, error) {
		text, err := handler(ctx, c)
		return TextResource("", text), err
	}))
	answer := func(method string, params wire.Raw) string {
		return map[string]string{
			"elicitation/create":     `{"action":"accept","content":{"name":"Ada"}}`,
			"sampling/createMessage": `{"role":"assistant","model":"m","content":{"type":"text","text":"Hi"}}`,
			"roots/list":             `{"roots":[{"uri":"file:///r"}]}`,
		}[method]
	}
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		if rev < mcp.V2025_06_18 {
			return // no elicitation
		}
		c := newClient(t, s, rev, allCaps)
		if rev >= mcp.Modern {
			equal(t, "questions", cutState(c.Must("tools/call", `{"name":"all"}`)), `{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}},`+
				`"resultType":"input_required","inputRequests":{`+
				`"client_roots":{"method":"roots/list","params":{}},`+
				`"greeting":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Greet"}}],"maxTokens":9}},`+
				`"user_name":{"method":"elicitation/create","params":{"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}},`+
				`"requestState":"…"}`)
		}
		for method, params := range map[string]string{
			"tools/call": `{"name":"all"}`, "prompts/get": `{"name":"all"}`, "resources/read": `{"uri":"a:all"}`, // REQ MRTR-02
		} {
			result, rounds := c.Complete(method, params, answer)
			contains(t, method, result, `\"Ada\"Hifile:///r`)
			if want := 1 + int(rev/mcp.Modern); rounds != want {
				t.Errorf("%s: %d rounds, want %d", method, rounds, want)
			}
		}
		if rev >= mcp.Modern && len(c.Asked) > 0 { // REQ JRPC-14
			t.Errorf("requests were sent: %q", c.Asked)
		}
	})
}

// cutState replaces the sealed state in a result.
func cutState(result string) string {
	before, state, ok := strings.Cut(result, `"requestState":"`)
	if !ok {
		return result
	}
	_, after, _ := strings.Cut(state, `"`)
	return before + `"requestState":"…"` + after
}

// asker is a server whose tool asks one question, its prompt too.
func asker(t testing.TB, o *Options) *Server {
	s := newServer(o)
	ask := func(ctx context.Context, c *Call) (string, error) {
		secret, err := OnceValue(c, "secret", func() (string, error) { return "s3cret", nil })
		if err != nil {
			return "", err
		}
		r, err := c.WithKey("name").Elicit(ctx, form("Name?", "name"))
		if err != nil {
			return "", err
		}
		return secret + string(r.Action) + string(r.Content["name"]), nil
	}
	for _, name := range []string{"ask", "other"} {
		add(t, s.AddTool(mcp.Tool{Name: name}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			text, err := ask(ctx, c)
			return TextResult(text), err
		}))
	}
	add(t, s.AddPrompt(mcp.Prompt{Name: "ask"}, func(ctx context.Context, c *Call, _ map[string]string) (*mcp.GetPromptResult, error) {
		text, err := ask(ctx, c)
		return &mcp.GetPromptResult{Description: text}, err
	}))
	return s
}

func accept(string, wire.Raw) string { return `{"action":"accept","content":{"name":"Ada"}}` }

// REQ MRTR-11, MRTR-12
func TestForeignState(t *testing.T) {
	const params = `{"name":"ask","arguments":{"a":1,"b":[2]}}`
	s := asker(t, nil)
	c := newClient(t, s, mcp.V2026_07_28, allCaps)
	c.Principal = "ada"
	first := c.Must("tools/call", params)
	if strings.Contains(first, "s3cret") {
		t.Fatalf("the state is readable: %s", first)
	}
	good := c.Retry(params, first, accept)
	contains(t, "good", c.Must("tools/call", good), `s3cretaccept\"Ada\"`)
	// Other white space and another order are the same arguments.
	contains(t, "reordered", c.Must("tools/call", strings.Replace(good, `{"a":1,"b":[2]}`, `{ "b" : [2], "a":1 }`, 1)), `s3cret`)

	var r required
	if err := json.Unmarshal([]byte(first), &r); err != nil {
		t.Fatal(err)
	}
	refused := func(name, params string, change func(c *client)) {
		t.Helper()
		d := newClient(t, s, mcp.V2026_07_28, allCaps)
		d.Principal = "ada"
		method := "tools/call"
		if strings.HasPrefix(name, "prompt") {
			method = "prompts/get"
		}
		if change != nil {
			change(d)
		}
		err := d.Fails(method, params, codeInvalidParams)
		equal(t, name, err.Message, "requestState was not made for this request, or was changed on the way")
	}
	refused("tampered", strings.Replace(good, r.RequestState, r.RequestState+"-TAMPERED", 1), nil)
	refused("flipped", strings.Replace(good, r.RequestState, flip(r.RequestState), 1), nil)
	refused("cut", strings.Replace(good, r.RequestState, r.RequestState[:20], 1), nil)
	refused("with more than base64", strings.Replace(good, r.RequestState, r.RequestState+"?", 1), nil)
	refused("empty", strings.Replace(good, r.RequestState, "", 1), nil)
	refused("no base64", strings.Replace(good, r.RequestState, "?", 1), nil)
	refused("other arguments", strings.Replace(good, `"a":1`, `"a":2`, 1), nil)
	refused("other tool", strings.Replace(good, `"name":"ask"`, `"name":"other"`, 1), nil)
	refused("prompt", strings.Replace(good, `,"arguments":{"a":1,"b":[2]}`, "", 1), nil)
	refused("other principal", good, func(d *client) { d.Principal = "eve" })
	refused("nobody", good, func(d *client) { d.Principal = "" })
	refused("other server", good, func(d *client) { d.moveTo(asker(t, nil)) })

	// Servers that share the key share the state.
	shared := &Options{StateKeys: [][]byte{[]byte("0123456789abcdef0123456789abcdef")}}
	c = newClient(t, asker(t, shared), mcp.V2026_07_28, allCaps)
	good = c.Retry(params, c.Must("tools/call", params), accept)
	c.moveTo(asker(t, shared))
	contains(t, "shared key", c.Must("tools/call", good), `s3cret`)
}

// flip changes one bit in the middle of a state.
func flip(state string) string {
	b := []byte(state)
	i := len(b) / 2
	if b[i] == 'A' {
		b[i] = 'B'
	} else {
		b[i] = 'A'
	}
	return string(b)
}

// REQ MRTR-12, SEC-13
func TestExpiredState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, asker(t, &Options{StateTTL: time.Minute}), mcp.V2026_07_28, allCaps)
		good := c.Retry(`{"name":"ask"}`, c.Must("tools/call", `{"name":"ask"}`), accept)
		time.Sleep(time.Minute - time.Millisecond)
		c.Must("tools/call", good)
		time.Sleep(time.Millisecond)
		equal(t, "expired", c.Fails("tools/call", good, codeInvalidParams).Message,
			"requestState has expired: send the request again without it")
	})
}

// What a call may carry with it is bounded: a call that remembers more is an error.
func TestLargeState(t *testing.T) {
	s := newServer(nil)
	for name, size := range map[string]int{"fits": maxState - 1000, "large": maxState} {
		add(t, s.AddTool(mcp.Tool{Name: name}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if _, err := OnceValue(c, "large", func() (string, error) { return strings.Repeat("x", size), nil }); err != nil {
				return nil, err
			}
			_, err := c.WithKey("name").Elicit(ctx, form("Name?", "name"))
			return TextResult("done"), err
		}))
	}
	c := newClient(t, s, mcp.V2026_07_28, allCaps)
	contains(t, "what fits", c.Must("tools/call", c.Retry(`{"name":"fits"}`, c.Must("tools/call", `{"name":"fits"}`), accept)), "done")
	contains(t, "what does not", c.Fails("tools/call", `{"name":"large"}`, codeInternal).Message, "want at most 1048576")
}

// REQ MRTR-13
func TestStateOfOneUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, asker(t, &Options{StateOnce: OnceInMemory(0)}), mcp.V2026_07_28, allCaps)
		good := c.Retry(`{"name":"ask"}`, c.Must("tools/call", `{"name":"ask"}`), accept)
		c.Must("tools/call", good)
		equal(t, "again", c.Fails("tools/call", good, codeInvalidParams).Message, "requestState has been used before: send the request again without it")
		time.Sleep(2 * time.Hour)
		c.Must("tools/call", c.Retry(`{"name":"ask"}`, c.Must("tools/call", `{"name":"ask"}`), accept))
	})
	broken := errors.New("store is down")
	c := newClient(t, asker(t, &Options{StateOnce: func(context.Context, string, time.Time) (bool, error) { return false, broken }}),
		mcp.V2026_07_28, allCaps)
	good := c.Retry(`{"name":"ask"}`, c.Must("tools/call", `{"name":"ask"}`), accept)
	c.Fails("tools/call", good, codeInternal)
}

// REQ MRTR-14, ELIC-21
func TestAnswersThatDoNotFit(t *testing.T) {
	c := newClient(t, asker(t, nil), mcp.V2026_07_28, allCaps)
	var r required
	if err := json.Unmarshal([]byte(c.Must("tools/call", `{"name":"ask"}`)), &r); err != nil {
		t.Fatal(err)
	}
	retry := func(answers string) string {
		return fmt.Sprintf(`{"name":"ask","inputResponses":%s,"requestState":%q}`, answers, r.RequestState)
	}
	const good = `"name":{"action":"accept","content":{"name":"Ada"}}`
	contains(t, "extra keys", c.Must("tools/call", retry(`{`+good+`,"more":7}`)), `s3cretaccept`)
	contains(t, "declined", c.Must("tools/call", retry(`{"name":{"action":"decline"}}`)), `s3cretdecline`)                                // REQ ELIC-12
	contains(t, "cancelled", c.Must("tools/call", retry(`{"name":{"action":"cancel","content":{"name":"x"}}}`)), `"text":"s3cretcancel"`) // REQ ELIC-12
	for name, answers := range map[string]string{"wrong key": `{"nam":{"action":"accept"}}`, "none": `{}`, "null": `null`} {
		contains(t, name, c.Must("tools/call", retry(answers)), `"input_required"`)
	}
	for name, answers := range map[string]string{
		"no object":      `{"name":12345}`,
		"null":           `{"name":null}`,
		"no action":      `{"name":{"content":{"name":"Ada"}}}`,
		"unknown action": `{"name":{"action":"maybe"}}`,
		"no content":     `{"name":{"action":"accept"}}`,
		"wrong content":  `{"name":{"action":"accept","content":{"name":7}}}`, // REQ ELIC-13
		"no map":         `[]`,
	} {
		t.Run(name, func(t *testing.T) { c.Fails("tools/call", retry(answers), codeInvalidParams) })
	}
	// Answers without the state are answers all the same.
	contains(t, "no state", c.Must("tools/call", `{"name":"ask","inputResponses":{`+good+`}}`), `s3cretaccept`)
	// A response that has come stays what it was.
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "two"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		first, err := c.WithKey("first").Elicit(ctx, form("First?", "name"))
		if err != nil {
			return nil, err
		}
		second, err := c.WithKey("second").Elicit(ctx, form("Second?", "name"))
		if err != nil {
			return nil, err
		}
		return TextResult(string(first.Content["name"]) + string(second.Content["name"])), nil
	}))
	two := newClient(t, s, mcp.V2026_07_28, allCaps)
	again := two.Must("tools/call", two.Retry(`{"name":"two"}`, two.Must("tools/call", `{"name":"two"}`), accept))
	if err := json.Unmarshal([]byte(again), &r); err != nil {
		t.Fatal(err)
	}
	contains(t, "a response again", two.Must("tools/call", fmt.Sprintf(`{"name":"two","requestState":%q,"inputResponses":{`+
		`"first":{"action":"accept","content":{"name":"Eve"}},"second":{"action":"accept","content":{"name":"Bob"}}}}`, r.RequestState)), `\"Ada\"\"Bob\"`)
}

// REQ CAP-08, CAP-10, MRTR-04, ELIC-02, SAMP-09, ROOT-08
func TestUndeclaredCapabilities(t *testing.T) {
	text := []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "x"}}}}
	asks := map[string]func(context.Context, *Call) error{
		"form": func(ctx context.Context, c *Call) error { _, err := c.Elicit(ctx, form("x", "x")); return err },
		"url": func(ctx context.Context, c *Call) error {
			_, err := c.Elicit(ctx, &mcp.ElicitRequestURLParams{Message: "x", URL: "https://example.com"})
			return err
		},
		"sampling": func(ctx context.Context, c *Call) error {
			_, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{Messages: text, MaxTokens: 1})
			return err
		},
		"tools": func(ctx context.Context, c *Call) error {
			_, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{Messages: text, MaxTokens: 1, ToolChoice: &mcp.ToolChoice{}})
			return err
		},
		"roots": func(ctx context.Context, c *Call) error { _, err := c.ListRoots(ctx); return err },
	}
	s := newServer(nil)
	for name, ask := range asks {
		add(t, s.AddTool(mcp.Tool{Name: name}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			return nil, ask(ctx, c)
		}))
		add(t, s.AddTool(mcp.Tool{Name: "soft " + name}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			var missing *MissingCapabilityError
			if err := ask(ctx, c); !errors.As(err, &missing) {
				return nil, err
			}
			return TextResult("did without"), nil
		}))
	}
	for _, test := range []struct{ tool, caps, missing, data string }{
		{"form", `{}`, "elicitation", `{"elicitation":{}}`},
		{"form", `{"elicitation":{"url":{}}}`, "elicitation.form", `{"elicitation":{"form":{}}}`},
		{"url", `{"elicitation":{}}`, "elicitation.url", `{"elicitation":{"url":{}}}`}, // REQ ELIC-01
		{"sampling", `{"roots":{}}`, "sampling", `{"sampling":{}}`},
		{"tools", `{"sampling":{}}`, "sampling.tools", `{"sampling":{"tools":{}}}`},
		{"roots", `{"sampling":{}}`, "roots", `{"roots":{}}`},
	} {
		everyRevision(t, func(t *testing.T, rev wire.Revision) {
			c := newClient(t, s, rev, test.caps)
			msg := "the client does not declare a capability that is required: " + test.missing
			contains(t, "soft", c.Must("tools/call", `{"name":"soft `+test.tool+`"}`), "did without")
			if rev < mcp.Modern {
				contains(t, test.tool, c.Must("tools/call", `{"name":"`+test.tool+`"}`), `"isError":true`)
			} else {
				err := c.Fails("tools/call", `{"name":"`+test.tool+`"}`, mcp.CodeMissingRequiredClientCapability)
				equal(t, test.tool, err.Message+string(err.Data), msg+`{"requiredCapabilities":`+test.data+`}`)
			}
			if len(c.Asked) > 0 {
				t.Errorf("the client was asked: %q", c.Asked)
			}
		})
	}
}

// REQ ELIC-04, ELIC-21, ELIC-24
func TestElicitByURL(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "pay"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			p := &mcp.ElicitRequestURLParams{Message: "Pay", URL: "https://example.com/pay"}
			r, err := c.Elicit(ctx, p)
			if err != nil {
				return nil, err
			}
			equal(t, "the id of the handler's params", p.ElicitationID, "")
			own, err := c.Elicit(ctx, &mcp.ElicitRequestURLParams{Message: "Pay again", URL: "https://example.com/pay", ElicitationID: "mine"})
			if err != nil {
				return nil, err
			}
			return TextResult(fmt.Sprint(r.Action, len(r.Content), own.Action)), nil
		}))
		c := newClient(t, s, rev, allCaps)
		result, _ := c.Complete("tools/call", `{"name":"pay"}`, func(_ string, params wire.Raw) string {
			equal(t, "mode", params.StringAt("mode"), "url")
			id := params.StringAt("elicitationId")
			if (id != "") != (rev == mcp.V2025_11_25) || id != "" && (id == "mine") != (params.StringAt("message") == "Pay again") {
				t.Errorf("elicitation id %q", id)
			}
			return `{"action":"accept"}`
		})
		contains(t, "result", result, `"accept0accept"`)
	})
}

// A URL that a client must not open is the server's mistake, and is not sent.
//
// REQ ELIC-20, SEC-16
func TestElicitByWrongURL(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "pay"}, func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.Elicit(ctx, &mcp.ElicitRequestURLParams{Message: "Pay", URL: args.StringAt("url")})
			return nil, err
		}))
		c := newClient(t, s, rev, allCaps)
		asked := false
		for _, url := range []string{"", "pay", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://example.com/x", "https:", "https:///x", "//example.com/x", ":"} {
			result, _ := c.Complete("tools/call", fmt.Sprintf(`{"name":"pay","arguments":{"url":%q}}`, url), func(string, wire.Raw) string { asked = true; return `{"action":"accept"}` })
			contains(t, url, result, fmt.Sprintf(`server: Elicit: want a URL of https or http, got \"%s\"`, url))
		}
		if asked {
			t.Error("the client was asked")
		}
		for _, url := range []string{"https://example.com/x?y#z", "HTTP://localhost:8080"} {
			result, _ := c.Complete("tools/call", fmt.Sprintf(`{"name":"pay","arguments":{"url":%q}}`, url), func(string, wire.Raw) string { asked = true; return `{"action":"accept"}` })
			contains(t, url, result, `"content":[]`)
		}
	})
}

// REQ ELIC-22, ELIC-23, ELIC-24, JRPC-26
func TestURLElicitationRequired(t *testing.T) {
	visited := false
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "pay"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		if visited {
			return TextResult("paid"), nil
		}
		return nil, &jsonrpc.Error{Code: mcp.CodeURLElicitationRequired, Message: "pay first", Data: wire.Raw(
			`{"elicitations":[{"mode":"url","elicitationId":"e1","message":"Pay","url":"https://example.com/pay"}]}`)}
	}))
	c := newClient(t, s, mcp.V2025_11_25, allCaps)
	c.Fails("tools/call", `{"name":"pay"}`, mcp.CodeURLElicitationRequired)
	add(t, c.session.Session().ElicitationComplete(t.Context(), "e1"))
	equal(t, "notified", fmt.Sprint(c.Seen()), `[notifications/elicitation/complete {"elicitationId":"e1"}]`)

	old := newClient(t, s, mcp.V2025_06_18, allCaps)
	add(t, old.session.Session().ElicitationComplete(t.Context(), "e1"))
	equal(t, "notified", fmt.Sprint(old.Seen()), `[]`)

	c = newClient(t, s, mcp.V2026_07_28, allCaps)
	first := c.Must("tools/call", `{"name":"pay"}`)
	contains(t, "first", first, `"inputRequests":{"visit/0":{"method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"https://example.com/pay"}}}`)
	visited = true
	contains(t, "then", c.Must("tools/call", c.Retry(`{"name":"pay"}`, first, func(string, wire.Raw) string { return `{"action":"accept"}` })), "paid")
	visited = false
	c.Caps = `{}`
	c.Fails("tools/call", `{"name":"pay"}`, mcp.CodeMissingRequiredClientCapability)
	c.Caps = allCaps
	for _, data := range []string{`{}`, `7`, `{"elicitations":[]}`, `{"elicitations":[{"url":7},{"mode":"url","elicitationId":"e1","message":"Pay","url":"https://example.com/pay"}]}`} {
		add(t, s.AddTool(mcp.Tool{Name: "x" + data}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
			return nil, &jsonrpc.Error{Code: mcp.CodeURLElicitationRequired, Message: "visit nothing", Data: wire.Raw(data)}
		}))
		equal(t, data, c.Fails("tools/call", fmt.Sprintf(`{"name":%q}`, "x"+data), codeInternal).Message, "visit nothing")
	}
}

// What the client answers with an error is no error of the server's.
func TestClientRefuses(t *testing.T) {
	// REQ SAMP-15, TOOL-20
	s := asker(t, nil)
	c := newClient(t, s, mcp.V2025_06_18, `{"elicitation":{}}`)
	c.Answer = func(string, wire.Raw) (wire.Raw, error) {
		return nil, &jsonrpc.Error{Code: -1, Message: "user says no"}
	}
	contains(t, "tool", c.Must("tools/call", `{"name":"ask"}`), `"text":"the client's response to elicitation/create: user says no (-1)"}],"isError":true`)
	c.Fails("prompts/get", `{"name":"ask"}`, codeInternal)
	c.Answer = func(string, wire.Raw) (wire.Raw, error) { return wire.Raw(`{"action":7}`), nil }
	contains(t, "nonsense", c.Must("tools/call", `{"name":"ask"}`), `"isError":true`)
}

// REQ TIME-01, TIME-03
func TestAskTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, asker(t, &Options{AskTimeout: time.Minute}), mcp.V2025_06_18, `{"elicitation":{}}`)
		begin := time.Now()
		contains(t, "result", c.Must("tools/call", `{"name":"ask"}`), context.DeadlineExceeded.Error())
		if d := time.Since(begin); d != time.Minute {
			t.Errorf("after %v", d)
		}
	})
}

func TestCannotAsk(t *testing.T) {
	// REQ MRTR-02
	s := newServer(nil)
	ask := func(ctx context.Context, c *Call) error {
		_, err := c.Elicit(ctx, form("x", "x"))
		if !errors.Is(err, ErrCannotAsk) {
			t.Errorf("%s: error %v, want ErrCannotAsk", c.Method(), err)
		}
		return err
	}
	add(t, s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) { return nil, ask(ctx, c) }))
	add(t, s.AddMethod("x/ask", func(ctx context.Context, c *Call) (wire.Encodable, error) { return nil, ask(ctx, c) }))
	newClient(t, s, mcp.V2026_07_28, allCaps).Fails("x/ask", `{}`, codeInternal)

	c := newClient(t, s, mcp.V2025_06_18, allCaps)
	r := c.Request("tools/call", `{"name":"a"}`)
	r.Out = nil
	if _, err := c.session.ServeRequest(t.Context(), r); err != nil {
		t.Error(err)
	}
}

// REQ MRTR-03
func TestKeyTwice(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			for i := range 2 {
				if _, err := c.WithKey("k").Elicit(ctx, form(fmt.Sprint(i), "name")); err != nil {
					return nil, err
				}
			}
			return nil, nil
		}))
		c := newClient(t, s, rev, allCaps)
		result, _ := c.Complete("tools/call", `{"name":"a"}`, accept)
		contains(t, "result", result, `the key \"k\" is used twice in one call`)
	})
}

// The state of a prompt is for its arguments alone.
//
// REQ MRTR-11
func TestStateOfPrompt(t *testing.T) {
	c := newClient(t, asker(t, nil), mcp.V2026_07_28, allCaps)
	const params = `{"name":"ask","arguments":{"a":"1"}}`
	good := c.Retry(params, c.Must("prompts/get", params), accept)
	contains(t, "good", c.Must("prompts/get", good), "s3cretaccept")
	c.Fails("prompts/get", strings.Replace(good, `{"a":"1"}`, `{"a":"2"}`, 1), codeInvalidParams)
	c.Fails("prompts/get", strings.Replace(good, `"name":"Ada"`, `"name":7`, 1), codeInvalidParams)
}

// What cannot be encoded is not asked, and a form's defaults are there where the user has left something out.
//
// REQ ELIC-12
func TestElicitedDefaults(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			f := form("Name?", "name")
			f.RequestedSchema.Properties.Set("color", &mcp.StringSchema{Default: new("red")})
			r, err := c.Elicit(ctx, f)
			if err != nil {
				return nil, err
			}
			return TextResult(string(r.Content["color"])), nil
		}))
		add(t, s.AddTool(mcp.Tool{Name: "broken"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 1, Metadata: wire.Raw("{")})
			return nil, err
		}))
		c := newClient(t, s, rev, allCaps)
		result, _ := c.Complete("tools/call", `{"name":"t"}`, accept)
		contains(t, "default", result, `\"red\"`)
		contains(t, "broken", c.Must("tools/call", `{"name":"broken"}`), "server: sampling/createMessage: ")
	})
}

// A client that lacks what one of several questions needs is asked none of them.
func TestQuestionsOfWhichOneCannotBeAsked(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		_, err1 := c.Elicit(ctx, form("Name?", "name"))
		_, err2 := c.ListRoots(ctx)
		return nil, errors.Join(err2, err1)
	}))
	newClient(t, s, mcp.V2026_07_28, `{"elicitation":{}}`).Fails("tools/call", `{"name":"t"}`, mcp.CodeMissingRequiredClientCapability)
}

// What Once cannot do is an error, and is done again.
func TestOnceFails(t *testing.T) {
	broken := errors.New("no disk")
	fail, runs := true, 0
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		if _, err := OnceValue(c, "channel", func() (chan int, error) { return nil, nil }); err == nil || !strings.Contains(err.Error(), `OnceValue "channel"`) {
			t.Errorf("what cannot be encoded: %v", err)
		}
		err := c.Once("k", func() error {
			if runs++; fail {
				return broken
			}
			return nil
		})
		if fail && err != broken || !fail && err != nil {
			t.Errorf("got %v", err)
		}
		if _, err := c.Elicit(ctx, form("Name?", "name")); err != nil {
			return nil, err
		}
		if _, err := OnceValue(c, "k", func() (int, error) { return 1, nil }); err == nil || !strings.Contains(err.Error(), `OnceValue "k"`) {
			t.Errorf("of another type: %v", err)
		}
		return nil, nil
	}))
	c := newClient(t, s, mcp.V2026_07_28, allCaps)
	c.Must("tools/call", `{"name":"t"}`)
	fail = false
	c.Complete("tools/call", `{"name":"t"}`, accept)
	count(t, "runs", runs, 2)
}
