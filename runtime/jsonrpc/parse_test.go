package jsonrpc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ JRPC-18
func TestParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want jsonrpc.Message
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":7},"arguments":{"a":[1,2]}}}`, jsonrpc.Message{
			Kind: jsonrpc.Request, ID: wire.IntID(1), Method: "tools/call",
			Params: wire.Raw(`{"name":"echo","_meta":{"progressToken":7},"arguments":{"a":[1,2]}}`),
			Meta:   wire.Raw(`{"progressToken":7}`),
		}},
		// REQ JRPC-02: the id keeps its type and its value.
		{`{"jsonrpc":"2.0","id":"1","method":"ping"}`, jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.StringID("1"), Method: "ping"}},
		{`{"jsonrpc":"2.0","id":1152921504606846976,"method":"ping"}`, jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.IntID(1 << 60), Method: "ping"}},
		{`{"jsonrpc":"2.0","id":-9223372036854775808,"method":"ping"}`, jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.IntID(-1 << 63), Method: "ping"}},
		{`{"jsonrpc":"2.0","id":"","method":""}`, jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.StringID("")}},
		{`{"jsonrpc":"2.0","id":"\ud83d\ude00 \ufffc","method":"m"}`, jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.StringID("😀 \ufffc"), Method: "m"}},
		{`{"jsonrpc":"2.0","id":"�","method":"m"}`, jsonrpc.Message{Kind: jsonrpc.Request, ID: wire.StringID("�"), Method: "m"}},
		// REQ JRPC-12: params may be absent.
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, jsonrpc.Message{Kind: jsonrpc.Notification, Method: "notifications/initialized"}},
		{`{"jsonrpc":"2.0","method":"x","params":null}`, jsonrpc.Message{Kind: jsonrpc.Notification, Method: "x"}},
		{`{"jsonrpc":"2.0","method":"x","params":{}}`, jsonrpc.Message{Kind: jsonrpc.Notification, Method: "x", Params: wire.Raw(`{}`)}},
		{`{"jsonrpc":"2.0","method":"x","params":{"_meta":null}}`, jsonrpc.Message{Kind: jsonrpc.Notification, Method: "x", Params: wire.Raw(`{"_meta":null}`)}},
		{`{"jsonrpc":"2.0","method":"x","params":{"a":{"_meta":{"b":1}}}}`, jsonrpc.Message{Kind: jsonrpc.Notification, Method: "x", Params: wire.Raw(`{"a":{"_meta":{"b":1}}}`)}},
		// REQ JRPC-09: the result is an object of any shape.
		{`{"jsonrpc":"2.0","id":3,"result":{"new":true}}`, jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.IntID(3), Result: wire.Raw(`{"new":true}`)}},
		{`{"jsonrpc":"2.0","id":3,"result":{},"error":null}`, jsonrpc.Message{Kind: jsonrpc.Response, ID: wire.IntID(3), Result: wire.Raw(`{}`)}},
		// REQ JRPC-10
		{`{"jsonrpc":"2.0","id":"x","error":{"code":-32602,"message":"no","data":[1],"more":0}}`, jsonrpc.Message{
			Kind: jsonrpc.ErrorResponse, ID: wire.StringID("x"),
			Error: &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no", Data: wire.Raw(`[1]`)},
		}},
		// REQ JRPC-06, JRPC-07: errors may come without an id.
		{`{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}`, jsonrpc.Message{Kind: jsonrpc.ErrorResponse, Error: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "?"}}},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}`, jsonrpc.Message{Kind: jsonrpc.ErrorResponse, Error: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "?"}}},
		// White space, order, escapes and members that nobody knows do not matter.
		{" {\r\n\t\"params\" : { \"_meta\" : { } , \"a\" : 1 } ,\n \"m\\u0065thod\" : \"a\\/b\" , \"x\" : [ { } ] , \"id\" : 0 , \"jsonrpc\" : \"2.0\" } \n", jsonrpc.Message{
			Kind: jsonrpc.Request, ID: wire.IntID(0), Method: "a/b",
			Params: wire.Raw(`{ "_meta" : { } , "a" : 1 }`), Meta: wire.Raw(`{ }`),
		}},
	} {
		got, err := jsonrpc.Parse([]byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if diff := cmp.Diff(c.want, got, cmp.Comparer(func(a, b wire.ID) bool { return a == b })); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.in, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	deep := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	for _, c := range []struct {
		in, want string
		kind     jsonrpc.Kind
		id       wire.ID
	}{
		// REQ JRPC-17: what is not JSON.
		{``, `parse error: want a value, got the end of the input at offset 0 (-32700)`, jsonrpc.Invalid, wire.ID{}},
		{`{"jsonrpc":"2.0","id":1,"method":"m"`, `parse error: want ',' or '}' after a member, got the end of the input at offset 36 (-32700)`, jsonrpc.Request, wire.IntID(1)},
		{`{"jsonrpc":"2.0","id":1,"method":"m"}}`, `parse error: want nothing after the value, got '}' at offset 37 (-32700)`, jsonrpc.Request, wire.IntID(1)},
		{`{"jsonrpc":"2.0","method":"m"} {}`, `parse error: want nothing after the value, got object at offset 31 (-32700)`, jsonrpc.Invalid, wire.ID{}},
		{`{'jsonrpc':"2.0"}`, `parse error: want a member's name, got '\'' at offset 1 (-32700)`, jsonrpc.Invalid, wire.ID{}},
		{`{"jsonrpc":"2.0","id":01,"method":"m"}`, `parse error: id: want ',' or '}' after a member, got number at offset 23 (-32700)`, jsonrpc.Invalid, wire.IntID(0)},
		{`{"jsonrpc":"2.0","id":NaN,"method":"m"}`, `parse error: id: want a value, got 'N' at offset 22 (-32700)`, jsonrpc.Invalid, wire.ID{}},
		{`{"jsonrpc":"2.0","id":-,"method":"m"}`, `parse error: id: want a digit, got ',' at offset 23 (-32700)`, jsonrpc.Invalid, wire.ID{}},
		{"{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"a\":\"\xff\"}}", `parse error: result.a: invalid UTF-8 in a string at offset 39 (-32700)`, jsonrpc.Response, wire.IntID(5)},
		{"\xef\xbb\xbf{}", `parse error: want a value, got '\ufeff' at offset 0 (-32700)`, jsonrpc.Invalid, wire.ID{}},
		{deep(127), `parse error: …0][0]`, jsonrpc.Request, wire.IntID(1)},

		// REQ JRPC-18: JSON that is no message.
		{`5`, `invalid request: want object, got number (-32600)`, jsonrpc.Invalid, wire.ID{}},
		{`null`, `invalid request: want object, got null (-32600)`, jsonrpc.Invalid, wire.ID{}},
		{`{}`, `invalid request: jsonrpc: missing, want "2.0" (-32600)`, jsonrpc.Invalid, wire.ID{}},
		{`{"jsonrpc":"2.0"}`, `invalid request: want one of method, result and error, got none (-32600)`, jsonrpc.Invalid, wire.ID{}},
		{`{"jsonrpc":"2.0","id":4}`, `invalid request: want one of method, result and error, got none (-32600)`, jsonrpc.Invalid, wire.IntID(4)},
		{`{"jsonrpc":"2.0","id":4,"Method":"ping"}`, `invalid request: want one of method, result and error, got none (-32600)`, jsonrpc.Invalid, wire.IntID(4)},
		// REQ JRPC-01
		{`{"id":1,"method":"m"}`, `invalid request: jsonrpc: missing, want "2.0" (-32600)`, jsonrpc.Request, wire.IntID(1)},
		{`{"jsonrpc":null,"id":1,"method":"m"}`, `invalid request: jsonrpc: missing, want "2.0" (-32600)`, jsonrpc.Request, wire.IntID(1)},
		{`{"jsonrpc":"1.0","id":1,"method":"m"}`, `invalid request: jsonrpc: want "2.0", got "1.0" (-32600)`, jsonrpc.Request, wire.IntID(1)},
		{`{"jsonrpc":2.0,"id":1,"method":"m"}`, `invalid request: jsonrpc: want "2.0", got 2.0 (-32600)`, jsonrpc.Request, wire.IntID(1)},
		// REQ JRPC-02
		{`{"jsonrpc":"2.0","id":1.5,"method":"m"}`, `invalid request: id: want string or integer, got 1.5: an id is not written with a fraction or an exponent (-32600)`, jsonrpc.Request, wire.ID{}},
		{`{"jsonrpc":"2.0","id":9223372036854775808,"method":"m"}`, `invalid request: id: want string or integer, got 9223372036854775808, which does not fit 64 bits (-32600)`, jsonrpc.Request, wire.ID{}},
		{`{"jsonrpc":"2.0","id":null,"method":"m"}`, `invalid request: id: want string or integer, got null (-32600)`, jsonrpc.Request, wire.ID{}},
		{`{"jsonrpc":"2.0","id":{},"method":"m"}`, `invalid request: id: want string or integer, got object (-32600)`, jsonrpc.Request, wire.ID{}},
		{`{"jsonrpc":"2.0","id":"\ud800","method":"m"}`, `invalid request: id: the string contains U+FFFD as an escape, or half a surrogate pair, and cannot be sent back unchanged (-32600)`, jsonrpc.Request, wire.ID{}},
		{`{"jsonrpc":"2.0","id":1.5,"result":{}}`, `invalid request: id: want string or integer, got 1.5: an id is not written with a fraction or an exponent (-32600)`, jsonrpc.Response, wire.ID{}},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, `invalid request: method: want string, got number (-32600)`, jsonrpc.Request, wire.IntID(1)},
		{`{"jsonrpc":"2.0","method":7}`, `invalid request: method: want string, got number (-32600)`, jsonrpc.Invalid, wire.ID{}},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`, `invalid request: duplicate member "id" (-32600)`, jsonrpc.Invalid, wire.IntID(1)},
		{`{"jsonrpc":"2.0","method":"m","method":"n","id":1}`, `invalid request: duplicate member "method" (-32600)`, jsonrpc.Invalid, wire.ID{}},
		{`{"jsonrpc":"2.0","id":1,"method":"m","x":1,"x":1}`, `invalid request: duplicate member "x" (-32600)`, jsonrpc.Request, wire.IntID(1)},
		// REQ BATCH-07
		{`[{"jsonrpc":"2.0","id":1,"method":"m"}]`, `invalid request: an array: batches of messages exist only in revision 2025-03-26 (-32600)`, jsonrpc.Batch, wire.ID{}},
		{` []`, `invalid request: an array: batches of messages exist only in revision 2025-03-26 (-32600)`, jsonrpc.Batch, wire.ID{}},

		// REQ JRPC-20
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":[]}`, `invalid params: want object, got array (-32602)`, jsonrpc.Request, wire.IntID(1)},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":"bar"}`, `invalid request: params: want object, got string (-32600)`, jsonrpc.Request, wire.IntID(1)},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":[]}}`, `invalid params: _meta: want object, got array (-32602)`, jsonrpc.Request, wire.IntID(1)},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{},"_meta":{}}}`, `invalid params: duplicate member "_meta" (-32602)`, jsonrpc.Request, wire.IntID(1)},
		// REQ JRPC-11: a notification is never answered, and this is one, if a bad one.
		{`{"jsonrpc":"2.0","method":"m","params":[]}`, `invalid params: want object, got array (-32602)`, jsonrpc.Notification, wire.ID{}},

		// REQ JRPC-08
		{`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, `invalid request: a response has either a result or an error, not both (-32600)`, jsonrpc.ErrorResponse, wire.IntID(1)},
		{`{"jsonrpc":"2.0","id":1,"result":{},"method":"m"}`, `invalid request: a message has either a method, or a result, or an error (-32600)`, jsonrpc.Request, wire.IntID(1)},
		{`{"jsonrpc":"2.0","result":{}}`, `invalid request: id: missing, want the id of the request (-32600)`, jsonrpc.Response, wire.ID{}},
		// REQ JRPC-09
		{`{"jsonrpc":"2.0","id":1,"result":null}`, `invalid request: result: want object, got null (-32600)`, jsonrpc.Response, wire.IntID(1)},
		{`{"jsonrpc":"2.0","id":1,"result":[]}`, `invalid request: result: want object, got array (-32600)`, jsonrpc.Response, wire.IntID(1)},
		// REQ JRPC-10
		{`{"jsonrpc":"2.0","id":1,"error":null}`, `invalid request: error: want object, got null (-32600)`, jsonrpc.ErrorResponse, wire.IntID(1)},
		{`{"jsonrpc":"2.0","id":1,"error":"no"}`, `invalid request: error: want object, got string (-32600)`, jsonrpc.ErrorResponse, wire.IntID(1)},
		{`{"jsonrpc":"2.0","id":1,"error":{}}`, `invalid request: error: missing required members: code, message (-32600)`, jsonrpc.ErrorResponse, wire.IntID(1)},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}`, `invalid request: error: code: want integer, got 1.5 (-32600)`, jsonrpc.ErrorResponse, wire.IntID(1)},
	} {
		m, err := jsonrpc.Parse([]byte(c.in))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.in, err, c.want)
		}
		if m.Kind != c.kind || m.ID != c.id {
			t.Errorf("%s: got %v with id %v, want %v with id %v", c.in, m.Kind, m.ID, c.kind, c.id)
		}
	}
	if _, err := jsonrpc.Parse([]byte(deep(126))); err != nil {
		t.Error(err)
	}
}

// A message that was cut off tells what it has told so far.
func TestParseHead(t *testing.T) {
	for _, c := range []struct {
		in   string
		kind jsonrpc.Kind
		id   wire.ID
	}{
		{`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"te`, jsonrpc.Response, wire.IntID(7)},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{"x":"`, jsonrpc.Request, wire.IntID(7)},
		{`{"jsonrpc":"2.0","result":{"content":[{"type":"te`, jsonrpc.Response, wire.ID{}},
	} {
		if m, err := jsonrpc.Parse([]byte(c.in)); err == nil || m.Kind != c.kind || m.ID != c.id {
			t.Errorf("%s: %v with id %v, error %v", c.in, m.Kind, m.ID, err)
		}
	}
}

func TestErrorIs(t *testing.T) {
	var err error = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no tools here"}
	if !errors.Is(err, jsonrpc.ErrMethodNotFound) || errors.Is(err, jsonrpc.ErrInvalidParams) {
		t.Error("errors.Is goes by something else than the code")
	}
	wrapped := errors.Join(errors.New("x"), err)
	var e *jsonrpc.Error
	if !errors.As(wrapped, &e) || e.Message != "no tools here" {
		t.Error("errors.As does not find the error")
	}
	if got, want := err.Error(), "no tools here (-32601)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSplitBatch(t *testing.T) {
	// REQ BATCH-01
	list, err := jsonrpc.SplitBatch([]byte(` [ {"a":1} , 2,"x" ] `), 3)
	if want := []wire.Raw{wire.Raw(`{"a":1}`), wire.Raw(`2`), wire.Raw(`"x"`)}; err != nil || !cmp.Equal(list, want) {
		t.Errorf("%q, %v", list, err)
	}
	for _, c := range []struct{ in, want string }{
		{`[]`, `invalid request: the batch is empty (-32600)`},
		{`[1,2,3,4]`, `invalid request: [3]: more than 3 messages in a batch (-32600)`},
		{`{}`, `invalid request: want array, got object (-32600)`},
		{`[1,`, `parse error: [1]: want a value, got the end of the input at offset 3 (-32700)`},
		{`[1] 2`, `parse error: want nothing after the value, got number at offset 4 (-32700)`},
	} {
		if list, err := jsonrpc.SplitBatch([]byte(c.in), 3); list != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: %q, %v, want %s", c.in, list, err, c.want)
		}
	}
}
