package elicit

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func form(t *testing.T, properties, required string) *mcp.ElicitRequestFormParamsRequestedSchema {
	t.Helper()
	v := new(mcp.ElicitRequestFormParamsRequestedSchema)
	if err := wire.Decode([]byte(`{"type":"object","properties":{`+properties+`},"required":[`+required+`]}`), v); err != nil {
		t.Fatal(err)
	}
	return v
}

func content(t *testing.T, text string) mcp.JSONObject {
	t.Helper()
	var v mcp.JSONObject
	if err := wire.Decode([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// REQ ELIC-06 ELIC-07 ELIC-08 ELIC-09 ELIC-13
func TestCheckForm(t *testing.T) {
	t.Parallel()
	const (
		untitled = `"p":{"type":"string","enum":["a","b"]}`
		titled   = `"p":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}`
		named    = `"p":{"type":"string","enum":["a","b"],"enumNames":["A","B"]}`
		multi    = `"p":{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":1,"maxItems":2}`
		multis   = `"p":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}`
	)
	for _, test := range []struct{ properties, required, content, want string }{
		{`"p":{"type":"string"}`, ``, `{}`, ``},
		{`"p":{"type":"string"}`, `"p"`, `{}`, `form: "p": required, but absent`},
		{`"p":{"type":"string"}`, `"p"`, `{"p":""}`, ``},
		{`"p":{"type":"string"}`, ``, `{"p":7}`, `form: "p": want string, got number`},
		{`"p":{"type":"string"}`, ``, `{"q":7}`, `form: "q": the form has no such property`},
		{`"p":{"type":"string"},"q":{"type":"boolean"}`, `"q"`, `{"p":7,"r":1}`,
			`form: "p": want string, got number; "q": required, but absent; "r": the form has no such property`},
		{`"p":{"type":"string","minLength":2}`, ``, `{"p":"é"}`, `form: "p": want at least 2 characters, got 1`},
		{`"p":{"type":"string","maxLength":2}`, ``, `{"p":"éé"}`, ``},
		{`"p":{"type":"string","maxLength":2}`, ``, `{"p":"abc"}`, `form: "p": want at most 2 characters, got 3`},
		{`"p":{"type":"string","format":"email"}`, ``, `{"p":"a@b.c"}`, ``},
		{`"p":{"type":"string","format":"email"}`, ``, `{"p":"A <a@b.c>"}`, `form: "p": want the format email, got "A <a@b.c>"`},
		{`"p":{"type":"string","format":"uri"}`, ``, `{"p":"https://x"}`, ``},
		{`"p":{"type":"string","format":"uri"}`, ``, `{"p":"x"}`, `form: "p": want the format uri, got "x"`},
		{`"p":{"type":"string","format":"date"}`, ``, `{"p":"2024-02-29"}`, ``},
		{`"p":{"type":"string","format":"date"}`, ``, `{"p":"2023-02-29"}`, `form: "p": want the format date, got "2023-02-29"`},
		{`"p":{"type":"string","format":"date-time"}`, ``, `{"p":"2024-02-29T10:00:00.5+01:00"}`, ``},
		{`"p":{"type":"string","format":"date-time"}`, ``, `{"p":"2024-02-29"}`, `form: "p": want the format date-time, got "2024-02-29"`},
		{`"p":{"type":"string","format":"colour"}`, ``, `{"p":"x"}`, ``},
		{`"p":{"type":"string","pattern":"^x$"}`, ``, `{"p":"y"}`, ``}, // for the server to check
		{`"p":{"type":"number","minimum":0.5,"maximum":2}`, ``, `{"p":0.5}`, ``},
		{`"p":{"type":"number","minimum":0.5,"maximum":2}`, ``, `{"p":0.25}`, `form: "p": want at least 0.5, got 0.25`},
		{`"p":{"type":"number","minimum":0.5,"maximum":2}`, ``, `{"p":2.5e0}`, `form: "p": want at most 2, got 2.5e0`},
		{`"p":{"type":"number"}`, ``, `{"p":"1"}`, `form: "p": want number, got string`},
		{`"p":{"type":"number"}`, ``, `{"p":1e999}`, `form: "p": want a number of 64 bits, got 1e999`},
		{`"p":{"type":"integer"}`, ``, `{"p":1.0}`, ``},
		{`"p":{"type":"integer"}`, ``, `{"p":1.5}`, `form: "p": want an integer, got 1.5`},
		{`"p":{"type":"boolean"}`, ``, `{"p":true}`, ``},
		{`"p":{"type":"boolean"}`, ``, `{"p":"true"}`, `form: "p": want boolean, got string`},
		{untitled, ``, `{"p":"b"}`, ``},
		{untitled, ``, `{"p":"c"}`, `form: "p": want one of ["a" "b"], got "c"`},
		{titled, ``, `{"p":"b"}`, ``},
		{titled, ``, `{"p":"B"}`, `form: "p": want one of ["a" "b"], got "B"`},
		{named, ``, `{"p":"b"}`, ``},
		{named, ``, `{"p":"B"}`, `form: "p": want one of ["a" "b"], got "B"`},
		{multi, ``, `{"p":["a","c"]}`, ``},
		{multi, ``, `{"p":[]}`, `form: "p": want at least 1 choices, got 0`},
		{multi, ``, `{"p":["a","b","c"]}`, `form: "p": want at most 2 choices, got 3`},
		{multi, ``, `{"p":["a","d"]}`, `form: "p": want one of ["a" "b" "c"], got "d"`},
		{multi, ``, `{"p":"a"}`, `form: "p": want array, got string`},
		{multis, ``, `{"p":["a","b"]}`, ``},
		{multis, ``, `{"p":[1]}`, `form: "p": want string, got number`},
		{`"p":{"type":"colour"}`, ``, `{"p":[1]}`, ``}, // a kind that only the server knows
	} {
		err := Check(form(t, test.properties, test.required), content(t, test.content))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s with %s:\ngot  %s\nwant %s", test.properties, test.content, got, test.want)
		}
	}
	if err := Check(form(t, `"p":{"type":"string"}`, ``), map[string]wire.Raw{"p": wire.Raw(`"`)}); err == nil {
		t.Error("an answer that is no JSON is no error")
	}
}

// REQ ELIC-08 ELIC-10 ELIC-11
func TestElicitDefaults(t *testing.T) {
	t.Parallel()
	const asked = `{"message":"m","requestedSchema":{"type":"object","properties":{` +
		`"s":{"type":"string","default":"d\n"},` +
		`"n":{"type":"number","default":1.5},` +
		`"i":{"type":"integer","default":7},` +
		`"b":{"type":"boolean","default":false},` +
		`"u":{"type":"string","enum":["a","b"],"default":"a"},` +
		`"t":{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"},` +
		`"l":{"type":"string","enum":["a"],"enumNames":["A"],"default":"a"},` +
		`"m":{"type":"array","items":{"type":"string","enum":["a"]},"default":["a"]},` +
		`"e":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":[]},` +
		`"x":{"type":"string"}}}}`
	for name, test := range map[string]struct{ answer, want string }{
		"all left out": {`{}`, `{"b":false,"e":[],"i":7,"l":"a","m":["a"],"n":1.5,"s":"d\n","t":"a","u":"a"}`},
		"some given, some blank": {`{"s":"given","n":null,"i":null,"b":true,"u":"b","t":null,"l":null,"m":null,"e":null,"x":"y"}`,
			`{"b":true,"s":"given","u":"b","x":"y"}`},
	} {
		t.Run(name, func(t *testing.T) {
			h := Handler{Form: func(_ context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				if got := string(Defaults(&p.RequestedSchema)["n"]); got != "1.5" {
					t.Errorf("default of n: %s", got)
				}
				return Accept(content(t, test.answer))
			}}
			got, err := request(t, h, asked)
			if diff := cmp.Diff(`{"action":"accept","content":`+test.want+`}`, got); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

// A form that was declined or closed has no content.
func TestElicitNoContent(t *testing.T) {
	for want, result := range map[string]*mcp.ElicitResult{
		`{"action":"decline"}`: Decline(),
		`{"action":"cancel"}`:  {Action: mcp.ElicitResultActionCancel, Content: map[string]wire.Raw{"x": wire.Raw("1")}},
	} {
		h := Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) { return result, nil }}
		got, err := request(t, h, `{"message":"m","requestedSchema":{"type":"object","properties":{"x":{"type":"number","default":1}}}}`)
		if got != want || err != nil {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

// request has a handler handle a request of a server.
func request(t *testing.T, h Handler, params string) (string, error) {
	t.Helper()
	p := new(mcp.ElicitRequestFormParams)
	if err := wire.Decode([]byte(params), p); err != nil {
		t.Fatal(err)
	}
	response, err := h.Elicit(t.Context(), mcp.V2025_11_25, p)
	if err != nil {
		return "", err
	}
	text, err := wire.Marshal(mcp.V2025_11_25, response)
	return string(text), err
}

// A Handler declares what it has functions for, and refuses the rest.
func TestModes(t *testing.T) {
	t.Parallel()
	form := func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) { return Decline(), nil }
	url := func(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
		return mcp.ElicitResultActionDecline, nil
	}
	for _, h := range []Handler{{}, {Form: form}, {URL: url}, {Form: form, URL: url}} {
		forms, urls := h.Modes()
		if forms != (h.Form != nil) || urls != (h.URL != nil) {
			t.Errorf("%+v declares %v, %v", h, forms, urls)
		}
		if _, err := h.Elicit(t.Context(), mcp.V2025_11_25, new(mcp.ElicitRequestFormParams)); (err == nil) != forms {
			t.Errorf("a form, with forms %v: %v", forms, err)
		}
		if _, err := h.Elicit(t.Context(), mcp.V2025_11_25, &mcp.ElicitRequestURLParams{URL: "https://x"}); (err == nil) != urls {
			t.Errorf("a URL, with URLs %v: %v", urls, err)
		}
	}
	if _, err := (Handler{}).Elicit(t.Context(), mcp.V2025_11_25, new(mcp.ElicitRequestFormParams)); !errors.Is(err, wire.ErrUnknownMethod) {
		t.Errorf("a Handler without functions: %v", err)
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	for _, v := range []any{7, nil, []int{1}, make(chan int)} {
		if r, err := Accept(v); err == nil {
			t.Errorf("Accept(%v) is no error: %v", v, r)
		}
	}
}
