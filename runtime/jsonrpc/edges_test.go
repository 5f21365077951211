package jsonrpc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestKinds(t *testing.T) {
	for k, want := range map[jsonrpc.Kind]struct {
		name   string
		answer bool
	}{
		jsonrpc.Invalid: {"invalid message", false}, jsonrpc.Request: {"request", false}, jsonrpc.Notification: {"notification", false},
		jsonrpc.Response: {"response", true}, jsonrpc.ErrorResponse: {"error response", true}, jsonrpc.Batch: {"batch", false}, 99: {"invalid message", false},
	} {
		if m := (jsonrpc.Message{Kind: k}); k.String() != want.name || m.IsResponse() != want.answer {
			t.Errorf("%d: %s, answer %t", k, k, m.IsResponse())
		}
	}
}

// Members of a message stand once each, also those that nobody knows.
func TestMembersThatStandTwice(t *testing.T) {
	for _, member := range []string{`"jsonrpc":"2.0"`, `"id":1`, `"method":"m"`, `"params":{}`, `"result":{}`, `"error":{"code":1,"message":""}`, `"error":null`, `"result":null`, `"other":1`} {
		name, _, _ := strings.Cut(member, ":")
		text := "{" + member + "," + member + "}"
		if _, err := jsonrpc.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "duplicate member "+name) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{`{"code":1,"code":1,"message":""}`, `{"code":1,"message":"","message":""}`, `{"code":1,"message":"","data":1,"data":2}`, `{"code":1,"message":"","x":1,"x":2}`} {
		if _, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":1,"error":` + text + "}")); err == nil || !strings.Contains(err.Error(), "duplicate member") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Two unknown members are no trouble, and neither is one.
func TestUnknownMembers(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","method":"m","a":1}`, `{"jsonrpc":"2.0","method":"m","a":1,"b":2}`, `{"a":1,"jsonrpc":"2.\u0030","method":"m","params":null}`,
	} {
		if m, err := jsonrpc.Parse([]byte(text)); err != nil || m.Kind != jsonrpc.Notification || m.Params != nil {
			t.Errorf("%s: %v, %v", text, m, err)
		}
	}
	// REQ JRPC-01
	for _, text := range []string{`"2.0" `, `"2.0"`} {
		if _, err := jsonrpc.Parse([]byte(`{"jsonrpc":` + text + `,"method":"m"}`)); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{`"2.\u0031"`, `2`, `["2.0"]`, `{"a":"2.0"}`, `true`} {
		if _, err := jsonrpc.Parse([]byte(`{"jsonrpc":` + text + `,"method":"m"}`)); !errors.Is(err, jsonrpc.ErrInvalidRequest) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is not as it should be is repeated up to 40 bytes.
func TestLongVersions(t *testing.T) {
	for n := 39; n < 42; n++ {
		v := `"` + strings.Repeat("x", n-2) + `"`
		_, err := jsonrpc.Parse([]byte(`{"jsonrpc":` + v + `,"method":"m"}`))
		want := v
		if n > 40 {
			want = fmt.Sprintf("%q…", v[:40])
		}
		if err == nil || err.Error() != `invalid request: jsonrpc: want "2.0", got `+want+" (-32600)" {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// What breaks off anywhere is an error, and what came before it counts.
func TestParseTruncated(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":"a","method":"m","params":{"_meta":{"a":1},"b":[1]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"a":{}}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[]}}`,
	} {
		for i := range len(text) {
			data := []byte(text[:i])
			m, err := jsonrpc.Parse(data[:i:i])
			if !errors.Is(err, jsonrpc.ErrParse) {
				t.Errorf("%s: %v", data, err)
			}
			if m.Kind == jsonrpc.Notification {
				t.Errorf("%s: a notification", data)
			}
		}
	}
}

// A message without an id is a notification only if it is whole, and has a method and no answer.
//
// REQ JRPC-11
func TestNoNotification(t *testing.T) {
	for text, want := range map[string]jsonrpc.Kind{
		`{"jsonrpc":"2.0","method":"m"}`:                                 jsonrpc.Notification,
		`{"jsonrpc":"2.0","method":"m","result":null}`:                   jsonrpc.Notification,
		`{"jsonrpc":"2.0","method":"m","result":{}}`:                     jsonrpc.Invalid,
		`{"jsonrpc":"2.0","method":"m","error":{"code":1,"message":""}}`: jsonrpc.Invalid,
		`{"jsonrpc":"2.0","method":null}`:                                jsonrpc.Invalid,
		`{"jsonrpc":"2.0","method":["m"]}`:                               jsonrpc.Invalid,
		`{"jsonrpc":"2.0","method":null,"id":1,"result":{}}`:             jsonrpc.Response,
	} {
		if m, _ := jsonrpc.Parse([]byte(text)); m.Kind != want {
			t.Errorf("%s: %v, want %v", text, m.Kind, want)
		}
	}
}

func TestAppendErrorAsItCan(t *testing.T) {
	for want, e := range map[string]*jsonrpc.Error{
		`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m","data":7}}`:  {Code: 1, Message: "m", Data: wire.Raw("7")},
		`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}`:           {Code: 1, Message: "x", Data: wire.Raw("{")},
		`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"y"}}`:           {Code: 1, Message: "y", Data: wire.Raw("x\n")},
		`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"z","data":[]}}`: {Code: 1, Message: "z", Data: wire.Raw("[\n]")},
	} {
		if got := jsonrpc.AppendError(nil, wire.IntID(7), e); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	var e jsonrpc.Error
	for _, text := range []string{`{"code":1,"message":"a","data":2}`, `{"code":3,"message":"b"}`} {
		if err := wire.Decode([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
	}
	if e.Code != 3 || e.Message != "b" || e.Data != nil {
		t.Errorf("decoded into a used value: %+v", e)
	}
	if (&jsonrpc.Error{Code: 1}).Is(errors.New("other")) {
		t.Error("another kind of error is the same")
	}
	if _, err := wire.Marshal(wire.Any, (*jsonrpc.Error)(nil)); err == nil {
		t.Error("a nil error is encoded")
	}
}

// REQ JRPC-02, STDIO-03
func TestAppendEdges(t *testing.T) {
	if out, err := jsonrpc.AppendRequest([]byte("x"), wire.Any, wire.ID{}, "m", nil, nil); err == nil || string(out) != "x" {
		t.Errorf("a request without an id: %s, %v", out, err)
	}
	for _, meta := range []string{"{\n}", "{\r}", "\n{}", "\r{}", "{\"a\":\n1}"} {
		for _, params := range []wire.Encodable{nil, wire.Raw(`{}`), wire.Raw(`{"_meta":{"b":1}}`), wire.Raw(`{"_meta":null}`)} {
			out, err := jsonrpc.AppendNotification(nil, wire.Any, "m", params, wire.Raw(meta))
			if err != nil || strings.ContainsAny(string(out), "\r\n") || wire.Raw(out).Check() != nil {
				t.Errorf("%q into %s: %s, %v", meta, params, out, err)
			}
		}
	}
	for _, meta := range []string{"1", "[]", "{\n", "{\"a\":\n}", "x"} {
		for _, params := range []wire.Encodable{nil, wire.Raw(`{"_meta":{"b":1}}`)} {
			if out, err := jsonrpc.AppendNotification([]byte("x"), wire.Any, "m", params, wire.Raw(meta)); err == nil && wire.Raw(out[1:]).Check() != nil {
				t.Errorf("%q: %s", meta, out)
			}
		}
	}
	for _, params := range []string{`{"_meta":{},"_meta":{}}`, `{"_meta":{"a":1,"a":2}}`, `{"_meta":[]}`, `{`} {
		if out, err := jsonrpc.AppendNotification([]byte("x"), wire.Any, "m", wire.Raw(params), wire.Raw(`{"b":1}`)); err == nil || string(out) != "x" {
			t.Errorf("%s: %s, %v", params, out, err)
		}
	}
	// REQ JRPC-05
	for _, id := range []wire.ID{wire.IntID(7), wire.StringID("7")} {
		out, err := appendResult(nil, id, nil)
		if m, parsed := jsonrpc.Parse(out); err != nil || parsed != nil || m.ID != id {
			t.Errorf("%v: %s", id, out)
		}
	}
}

// unwritable is a value that cannot be encoded.
type unwritable struct{}

func (unwritable) EncodeWire(e *wire.Encoder) { e.Fail("want better params") }

// What cannot be encoded is an error that says why.
func TestAppendUnwritable(t *testing.T) {
	out, err := jsonrpc.AppendNotification([]byte("x"), wire.Any, "m", unwritable{}, nil)
	if err == nil || !strings.Contains(err.Error(), "want better params") || string(out) != "x" {
		t.Errorf("%s, %v", out, err)
	}
	out, err = jsonrpc.AppendNotification([]byte("x"), wire.Any, "m", wire.Raw(`{"_meta":{"b":1}}`), wire.Raw(`{"a":1,"a":2}`))
	if err == nil || !strings.Contains(err.Error(), `duplicate member "a"`) || string(out) != "x" {
		t.Errorf("a duplicate member: %s, %v", out, err)
	}
}

// A long message is cut; the rest of the error stays.
func TestAppendLongError(t *testing.T) {
	const most = 16 << 10
	for _, n := range []int{most - 1, most, most + 1, 2 * most} {
		message := strings.Repeat("m", n)
		want := message
		if n > most {
			want = message[:most] + "…"
		}
		e := jsonrpc.Error{Code: 7, Message: message, Data: wire.Raw(`[1]`)}
		if got := jsonrpc.AppendError(nil, wire.IntID(1), &e); string(got) != `{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"`+want+`","data":[1]}}` {
			t.Errorf("%d bytes: got %d, %.60s…", n, len(got), got)
		}
		if len(e.Message) != n {
			t.Error("the error was changed")
		}
	}
}

// A fault in one member does not keep from reading those behind it; and members that a message does
// not need are no fault.
func TestParseGoesOn(t *testing.T) {
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","method":["m"],"id":5}`:                              "request 5: invalid request: method: want string, got array (-32600)",
		`{"jsonrpc":"1.0","method":"m","id":5}`:                                `request 5: invalid request: jsonrpc: want "2.0", got "1.0" (-32600)`,
		`{"jsonrpc":"2.0","params":7,"method":"m","id":5}`:                     "request 5: invalid request: params: want object, got number (-32600)",
		`{"jsonrpc":"2.0","error":7,"id":5}`:                                   "error response 5: invalid request: error: want object, got number (-32600)",
		`{"jsonrpc":"2.0","id":5,"result":{},"params":{}}`:                     "response 5: <nil>",
		`{"jsonrpc":"2.0","id":5,"params":{},"result":{}}`:                     "response 5: <nil>",
		`{"jsonrpc":"2.0","id":5,"params":{},"error":{"code":1,"message":""}}`: "error response 5: <nil>",
	} {
		m, err := jsonrpc.Parse([]byte(text))
		n, _ := m.ID.Int()
		if got := fmt.Sprintf("%s %d: %v", m.Kind, n, err); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}
