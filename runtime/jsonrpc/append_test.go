package jsonrpc_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// number is an Encodable that is no object.
type number float64

func (n number) EncodeWire(e *wire.Encoder) { e.Float(float64(n)) }

func TestAppend(t *testing.T) {
	one := wire.IntID(1)
	for _, c := range []struct {
		got  func(dst []byte) ([]byte, error)
		want string // an error's text if it does not begin with a brace
	}{
		{func(b []byte) ([]byte, error) { return jsonrpc.AppendRequest(b, 0, one, "ping", nil, nil) },
			`{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{func(b []byte) ([]byte, error) {
			return jsonrpc.AppendRequest(b, 0, wire.StringID("a\"b"), "x/y", wire.Raw("{\n\"a\": 1}"), nil)
		}, `{"jsonrpc":"2.0","id":"a\"b","method":"x/y","params":{"a":1}}`},
		{func(b []byte) ([]byte, error) { return jsonrpc.AppendRequest(b, 0, wire.ID{}, "ping", nil, nil) },
			`jsonrpc: a request needs an id`},
		{func(b []byte) ([]byte, error) { return jsonrpc.AppendRequest(b, 0, one, "m", number(3), nil) },
			`jsonrpc: params of m must be an object, got number`},
		{func(b []byte) ([]byte, error) { return jsonrpc.AppendRequest(b, 0, one, "m", wire.Raw(nil), nil) },
			`{"jsonrpc":"2.0","id":1,"method":"m"}`},
		{func(b []byte) ([]byte, error) { return appendResult(b, one, wire.Raw{}) },
			`{"jsonrpc":"2.0","id":1,"result":{}}`},
		{func(b []byte) ([]byte, error) {
			return jsonrpc.AppendNotification(b, 0, "notifications/x", wire.Raw(`{"a":1}`), nil)
		}, `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}`},
		// REQ JRPC-05
		{func(b []byte) ([]byte, error) {
			return appendResult(b, wire.StringID("1"), wire.Raw(`{"a":1}`))
		}, `{"jsonrpc":"2.0","id":"1","result":{"a":1}}`},
		{func(b []byte) ([]byte, error) { return appendResult(b, wire.IntID(1<<60), nil) },
			`{"jsonrpc":"2.0","id":1152921504606846976,"result":{}}`},
		// REQ JRPC-09
		{func(b []byte) ([]byte, error) { return appendResult(b, one, wire.Raw("3")) },
			`jsonrpc: a result must be an object, got number`},
		{func(b []byte) ([]byte, error) { return jsonrpc.AppendRequest(b, 0, one, "m", number(math.NaN()), nil) },
			`wire: NaN is not a JSON number`},
		// REQ JRPC-10
		{func(b []byte) ([]byte, error) {
			return jsonrpc.AppendError(b, one, &jsonrpc.Error{Code: -32602, Message: "no \"x\"", Data: wire.Raw("{\"a\":\n1}")}), nil
		}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no \"x\"","data":{"a":1}}}`},
		// REQ JRPC-06: without an id only if it could not be read.
		{func(b []byte) ([]byte, error) { return jsonrpc.AppendError(b, wire.ID{}, jsonrpc.ErrParse), nil },
			`{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}`},
		{func(b []byte) ([]byte, error) {
			return jsonrpc.AppendError(b, one, &jsonrpc.Error{Code: 1, Message: "m", Data: wire.Raw(`{"a"`)}), nil
		}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`},
	} {
		out, err := c.got([]byte("before "))
		got := string(out)
		if err != nil {
			if got != "before " {
				t.Errorf("after the error the buffer is %q", got)
			}
			got = "before " + err.Error()
		}
		if got != "before "+c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// REQ JRPC-09
func TestEndResult(t *testing.T) {
	for _, c := range []struct{ result, want string }{
		{``, `{}`},
		{`{"a":1}`, `{"a":1}`},
		{"{\r\n\"a\": 1}", `{"a":1}`}, // REQ STDIO-03
		{"{\n\"a\": 1}", `{"a":1}`}, {"{\r\"a\": 1}", `{"a":1}`}, {"\n{}", `{}`}, {"\r{}", `{}`},
		{"{\n", `error: wire: the raw value is not valid JSON: want a member's name, got the end of the input at offset 2`},
		{`[1]`, `error: jsonrpc: a result must be an object, got array`},
	} {
		for _, spare := range []int{0, len(c.result), 1000} { // behind the beginning
			for _, place := range []string{"elsewhere", "in the room"} {
				begun := jsonrpc.BeginResult([]byte("before "), wire.IntID(1))
				begun = append(make([]byte, 0, len(begun)+spare), begun...)
				result := []byte(c.result)
				if place == "in the room" {
					result = append(begun[len(begun):], c.result...)
				}
				out, err := jsonrpc.EndResult(begun, result)
				got, want := string(out), `before {"jsonrpc":"2.0","id":1,"result":`+c.want+"}"
				if err != nil {
					got, want = "error: "+err.Error(), c.want
					if !bytes.Equal(out, begun) {
						t.Errorf("%q: after an error the buffer is %q", c.result, out)
					}
				}
				if got != want {
					t.Errorf("%q %s, with %d spare bytes: got %s, want %s", c.result, place, spare, got, want)
				}
				if spare == 1000 && err == nil && &out[0] != &begun[0] {
					t.Errorf("%q %s: the buffer has been copied", c.result, place)
				}
			}
		}
	}
}

func TestAppendMeta(t *testing.T) {
	for _, c := range []struct{ params, meta, want string }{
		{``, `{"k":1}`, `{"_meta":{"k":1}}`},
		{`{}`, `{"k":1}`, `{"_meta":{"k":1}}`},
		{`{ }`, `{"k":1}`, `{"_meta":{"k":1} }`},
		{`{"a":1}`, `{"k":1}`, `{"_meta":{"k":1},"a":1}`},
		{`{"a":1}`, "{\"k\":\n1}", `{"_meta":{"k":1},"a":1}`},
		{`{"a":1,"_meta":null}`, `{"k":1}`, `{"a":1,"_meta":{"k":1}}`},
		{`{"_meta": {} ,"a":1}`, `{"k":1}`, `{"_meta": {"k":1} ,"a":1}`},
		{`{"a":1,"_meta":{"k":2,"l":[3]},"b":2}`, `{"k":1,"m":4}`, `{"a":1,"_meta":{"k":1,"m":4,"l":[3]},"b":2}`},
		{`{"a":1}`, ``, `{"a":1}`},
		{`{"a":1}`, `[]`, `error: jsonrpc: _meta must be an object, got array`},
		{`{"_meta":7}`, `{}`, `error: jsonrpc: _meta must be an object, got number`},
		{`{"a"}`, `{"k":1}`, `error: wire: want ':' after a member's name, got '}' at offset 4`},
		{`{"_meta":{"a":1,"a":2}}`, `{"k":1}`, `error: wire: duplicate member "a"`},
	} {
		var params wire.Encodable
		if c.params != "" {
			params = wire.Raw(c.params)
		}
		const head = `{"jsonrpc":"2.0","method":"m","params":`
		for _, room := range []int{0, 1000} { // with and without growing the buffer
			out, err := jsonrpc.AppendNotification(make([]byte, 0, room), 0, "m", params, wire.Raw(c.meta))
			got, want := string(out), head+c.want+"}"
			if err != nil {
				got, want = "error: "+err.Error(), c.want
			}
			if got != want {
				t.Errorf("%s with %s:\n got %s\nwant %s", c.params, c.meta, got, want)
			}
		}
	}
}

// TestAddMeta adds metadata to params that are encoded already, and leaves these as they are.
func TestAddMeta(t *testing.T) {
	for _, c := range []struct{ params, meta, want string }{
		{``, ``, ``},
		{``, `{"k":1}`, `{"_meta":{"k":1}}`},
		{`{"a":1}`, ``, `{"a":1}`},
		{`{"a":1}`, `{"k":1}`, `{"_meta":{"k":1},"a":1}`},
		{`{"_meta":{"o":{}},"a":1}`, `{"k":1}`, `{"_meta":{"k":1,"o":{}},"a":1}`},
		{`{"_meta":{"k":2},"a":1}`, ` {"k":1} `, `{"_meta":{"k":1},"a":1}`},
		{`{"_meta":{},"a":1}`, `{"k":1}`, `{"_meta":{"k":1},"a":1}`},
		{`{"_meta":{"o":1},"a":1}`, ` {"k":1} `, `{"_meta":{"k":1,"o":1},"a":1}`},
		{`{"_meta":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}}`, `{"j":1,"k":2,"l":3,"m":4,"n":5,"o":6,"p":7,"q":8}`,
			`{"_meta":{"j":1,"k":2,"l":3,"m":4,"n":5,"o":6,"p":7,"q":8,"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}}`},
	} {
		params := append(make([]byte, 0, 1000), c.params...)
		got, err := jsonrpc.AddMeta(params, wire.Raw(c.meta))
		if err != nil || string(got) != c.want || string(params) != c.params {
			t.Errorf("%s with %s is %s, %v", c.params, c.meta, got, err)
		}
	}
	if got, err := jsonrpc.AddMeta(wire.Raw(`{"_meta":{"o":1}}`), wire.Raw(`{"k":1]`)); err == nil {
		t.Errorf("metadata that are not JSON were added: %s", got)
	}
}

// appendResult appends a whole response.
func appendResult(dst []byte, id wire.ID, result wire.Raw) ([]byte, error) {
	out, err := jsonrpc.EndResult(jsonrpc.BeginResult(dst, id), result)
	if err != nil {
		return dst, err
	}
	return out, nil
}
