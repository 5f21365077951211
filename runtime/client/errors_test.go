package client

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ RES-06 RES-07 RES-08 JRPC-24
func TestIsNotFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code int64
		data string
		want bool
	}{
		{-32002, ``, true},
		{-32002, `{"uri":"a:b"}`, true},
		{-32602, `{"uri":"a:b"}`, true},
		{-32602, `{"supported":[]}`, false},
		{-32602, ``, false},
		{-32001, `{"uri":"a:b"}`, false},
	} {
		_, err := fails(test.code, test.data)(nil)
		if got := IsNotFound(fmt.Errorf("read: %w", err)); got != test.want {
			t.Errorf("%d %s: %v", test.code, test.data, got)
		}
	}
	if IsNotFound(nil) || IsNotFound(errors.New("x")) {
		t.Error("other errors are not about resources")
	}
}

// REQ ELIC-22 ELIC-23
func TestURLElicitations(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := legacyServer(script{"tools/call": fails(mcp.CodeURLElicitationRequired,
			`{"elicitations":[{"mode":"url","message":"m","url":"https://x","elicitationId":"1"}]}`)})
		var done string
		c, f := dial(t, server, &Options{Methods: onComplete(&done)})
		_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"})
		if list := URLElicitations(err); len(list) != 1 || list[0].URL != "https://x" || list[0].ElicitationID != "1" {
			t.Errorf("got %v", list)
		}
		f.notice("notifications/elicitation/complete", `{"elicitationId":"1"}`)
		if done != "1" {
			t.Errorf("done %q", done)
		}
		for _, data := range []string{``, `7`, `{"elicitations":7}`} {
			_, err := fails(mcp.CodeURLElicitationRequired, data)(nil)
			if list := URLElicitations(err); list != nil {
				t.Errorf("%s: %v", data, list)
			}
		}
		if URLElicitations(&jsonrpc.Error{Code: -1, Data: wire.Raw(`{"elicitations":[{"mode":"url","message":"m","url":"https://x","elicitationId":"1"}]}`)}) != nil {
			t.Error("another error has elicitations")
		}
		if URLElicitations(errors.New("x")) != nil {
			t.Error("other errors have none")
		}
	})
}

// REQ SAMP-08
func TestMatchModel(t *testing.T) {
	t.Parallel()
	models := []string{"large-2", "small-1", "small-2"}
	for hints, want := range map[string]string{
		`[]`:                                   "",
		`[{"name":"small"},{"name":"large"}]`:  "small-1",
		`[{"name":"tiny"},{"name":"large-2"}]`: "large-2",
		`[{},{"name":""}]`:                     "",
		`[{"name":"ll-2"},{"name":"large"}]`:   "small-2", // a part of the name, wherever it stands
		`[{"name":"2"}]`:                       "large-2",
		`[{"name":"large-20"}]`:                "",
	} {
		p := new(mcp.ModelPreferences)
		if err := wire.Decode([]byte(`{"hints":`+hints+`}`), p); err != nil {
			t.Fatal(err)
		}
		if got, ok := MatchModel(p, models); got != want || ok != (want != "") {
			t.Errorf("%s: got %q", hints, got)
		}
	}
	if _, ok := MatchModel(nil, models); ok {
		t.Error("no preferences name no model")
	}
}
