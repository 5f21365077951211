package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// depth returns how deep the valid JSON text nests.
func depth(data []byte) (deepest int) {
	level, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			level++
			deepest = max(deepest, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return deepest
}

// membersByStdlib returns the members of a valid JSON object, and whether there is a duplicate.
func membersByStdlib(t *testing.T, data []byte) (members map[string]json.RawMessage, twice bool) {
	members = map[string]json.RawMessage{}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, found := members[name.(string)]; found {
			twice = true
		}
		members[name.(string)] = value
	}
	return members, twice
}

func absent(v json.RawMessage) bool { return v == nil || string(v) == "null" }

func isObject(v json.RawMessage) bool { return v != nil && v[0] == '{' }

// verdict says by encoding/json which code Parse must refuse data with, 0 for none, or that it is
// a message of kind.
func verdict(t *testing.T, data []byte) (codes []int64, kind jsonrpc.Kind) {
	if !json.Valid(data) || !utf8.Valid(data) || depth(data) > wire.MaxDepth {
		return []int64{jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest}[:1+b2i(jsonrpc.IsBatch(data))], 0
	}
	refused := []int64{jsonrpc.CodeInvalidRequest, jsonrpc.CodeInvalidParams}
	if bytes.TrimLeft(data, " \t\r\n")[0] != '{' {
		return refused[:1], 0
	}
	m, twice := membersByStdlib(t, data)
	var version, method string
	if twice || json.Unmarshal(m["jsonrpc"], &version) != nil || version != "2.0" {
		return refused, 0
	}
	hasMethod := !absent(m["method"])
	hasResult, hasError := !absent(m["result"]), !absent(m["error"])
	if b2i(hasMethod)+b2i(hasResult)+b2i(hasError) != 1 {
		return refused, 0
	}
	goodID, textID := false, ""
	if id := m["id"]; !absent(id) {
		switch {
		case id[0] == '"':
			_ = json.Unmarshal(id, &textID)
			goodID = !strings.ContainsRune(textID, utf8.RuneError) || !bytes.Contains(id, []byte(`\u`))
		default:
			var n int64
			goodID = json.Unmarshal(id, &n) == nil && !bytes.ContainsAny(id, ".eE")
		}
		if !goodID {
			return refused, 0
		}
	}
	if params := m["params"]; !absent(params) {
		if !isObject(params) {
			return refused, 0
		}
		dec := json.NewDecoder(bytes.NewReader(params))
		_, _ = dec.Token()
		for metas := 0; dec.More(); {
			name, _ := dec.Token()
			var value json.RawMessage
			_ = dec.Decode(&value)
			if name == "_meta" {
				if metas++; metas > 1 || !absent(value) && !isObject(value) {
					return refused, 0
				}
			}
		}
	}
	switch {
	case hasMethod:
		if json.Unmarshal(m["method"], &method) != nil {
			return refused, 0
		}
		if m["id"] == nil {
			return nil, jsonrpc.Notification
		}
		if !goodID {
			return refused, 0
		}
		return nil, jsonrpc.Request
	case hasResult:
		if !isObject(m["result"]) || !goodID {
			return refused, 0
		}
		return nil, jsonrpc.Response
	}
	if !isObject(m["error"]) {
		return refused, 0
	}
	e, twice := membersByStdlib(t, m["error"])
	var text string
	if twice || absent(e["code"]) || absent(e["message"]) || json.Unmarshal(e["message"], &text) != nil {
		return refused, 0
	}
	if err := json.Unmarshal(e["code"], new(int64)); err != nil {
		// 1.0 and 1e2 are integers here, and not there.
		if json.Unmarshal(e["code"], new(float64)) == nil {
			return append(refused, 0), jsonrpc.ErrorResponse
		}
		return refused, 0
	}
	return nil, jsonrpc.ErrorResponse
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FuzzParse compares what is accepted with encoding/json, and sends on what was.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		callLegacy, callModern, `[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":1e2,"message":"","data":null}}`,
		`{"jsonrpc":"2.0","id":"\ud800","result":{}}`, `{"jsonrpc":"2.0","method":"m","a":1,"b":2,"a":3}`,
		`{"\u006asonrpc":"2\u002e0","method":"m","params":{"_meta":null,"x":[1,{}]}}`,
		`{"jsonrpc":"2.0","id":-0,"method":"m","result":null}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"code":1,"message":""}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		codes, kind := verdict(t, data)
		m, err := jsonrpc.Parse(data)
		code := int64(0)
		var e *jsonrpc.Error
		if errors.As(err, &e) {
			code = e.Code
		}
		ok := codes == nil && code == 0
		for _, c := range codes {
			ok = ok || c == code
		}
		if !ok || code == 0 && m.Kind != kind {
			t.Fatalf("%q: %v, error %v; encoding/json says %v, one of the codes %v", data, m.Kind, err, kind, codes)
		}
		if err == nil {
			sendOn(t, m)
		}
	})
}

// sendOn checks that what was parsed survives being written and parsed again.
func sendOn(t *testing.T, m jsonrpc.Message) {
	var out []byte
	var err error
	params := wire.Encodable(m.Params)
	if m.Params == nil {
		params = nil
	}
	switch m.Kind {
	case jsonrpc.Request:
		out, err = jsonrpc.AppendRequest(nil, 0, m.ID, m.Method, params, nil)
	case jsonrpc.Notification:
		out, err = jsonrpc.AppendNotification(nil, 0, m.Method, params, nil)
	case jsonrpc.Response:
		out, err = appendResult(nil, m.ID, m.Result)
	case jsonrpc.ErrorResponse:
		out = jsonrpc.AppendError(nil, m.ID, m.Error)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := jsonrpc.Parse(out)
	if err != nil || again.Kind != m.Kind || again.ID != m.ID || again.Method != m.Method || (again.Params == nil) != (m.Params == nil) {
		t.Fatalf("%+v was written as %s: %v", m, out, err)
	}
	if bytes.ContainsAny(out, "\r\n") {
		t.Fatalf("line break in %q", out)
	}
}

// FuzzSplitBatch compares with encoding/json.
func FuzzSplitBatch(f *testing.F) {
	f.Add([]byte(` [ {"a":[]} , 1,"x" ] `))
	f.Add([]byte(`[1,]`))
	f.Add([]byte("[\"\xff\"]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var want []json.RawMessage
		good := utf8.Valid(data) && json.Unmarshal(data, &want) == nil && len(want) > 0 && len(want) <= 5 && depth(data) <= wire.MaxDepth
		got, err := jsonrpc.SplitBatch(data, 5)
		if (err == nil) != good || good && len(got) != len(want) {
			t.Fatalf("%q: %q, %v, want %q", data, got, err, want)
		}
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("%q: message %d is %q, want %q", data, i, got[i], want[i])
			}
		}
	})
}

// FuzzAppendMeta checks that the merged _meta is what a map would make of it.
func FuzzAppendMeta(f *testing.F) {
	f.Add([]byte(`{"a":1,"_meta":{"x":1,"y":2}}`), []byte(`{"y":3}`))
	f.Add([]byte(`{ }`), []byte("{\n}"))
	f.Fuzz(func(t *testing.T, params, meta []byte) {
		if wire.Raw(meta).Check() != nil {
			return // meta is not from outside
		}
		out, err := jsonrpc.AppendNotification(nil, 0, "m", wire.Raw(params), meta)
		if err != nil {
			return
		}
		m, err := jsonrpc.Parse(out)
		if wire.Raw(params).Check() != nil {
			return // raw params that are not valid go out as they are; see wire.Raw
		}
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		var before struct{ Meta map[string]any }
		read := func(data []byte) map[string]any {
			members, _ := membersByStdlib(t, data)
			v := map[string]any{}
			if !absent(members["_meta"]) {
				dec := json.NewDecoder(bytes.NewReader(members["_meta"]))
				dec.UseNumber()
				if err := dec.Decode(&v); err != nil {
					t.Fatal(err)
				}
			}
			return v
		}
		before.Meta = read(params)
		var add map[string]any
		dec := json.NewDecoder(bytes.NewReader(meta))
		dec.UseNumber()
		_ = dec.Decode(&add)
		for k, v := range add {
			before.Meta[k] = v
		}
		want, _ := json.Marshal(before.Meta)
		got, _ := json.Marshal(read(m.Params))
		if !bytes.Equal(want, got) {
			t.Fatalf("%s with %s: _meta is %s, want %s", params, meta, got, want)
		}
	})
}
