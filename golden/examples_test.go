package golden_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/schema"
)

// Every official example comes out of a proxy as it went in: nothing is added, and nothing is lost.
//
// REQ JRPC-09
func TestOfficialExamples(t *testing.T) {
	dir := testenv.NeedsOfficial(t)
	types := registry["mcp"]
	count := 0
	for _, r := range schema.Revisions() {
		files, err := filepath.Glob(filepath.Join(dir, "schema", r.Name, "examples", "*", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(filepath.Dir(file))
			create, in := types[name], data
			switch {
			case name == "InputRequests":
				name, in = "InputRequiredResult", fmt.Appendf(nil, `{"resultType":"input_required","inputRequests":%s}`, data)
				create = types[name]
			case name == "InputResponses":
				name, in = "CallToolRequestParams", fmt.Appendf(nil, `{"name":"n","inputResponses":%s}`, data)
				create = types[name]
			case create == nil:
				name, create, in = inMessage(t, name, data)
			}
			if create == nil {
				continue // an error
			}
			count++
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) { roundTrip(t, name, wire.Any, create, in) })
		}
	}
	if count < 100 {
		t.Errorf("only %d examples", count)
	}
}

// inMessage returns what a message of a type holds: the params of a request or notification, or the
// result in a response.
func inMessage(t *testing.T, name string, data []byte) (of string, create func() wire.Value, in []byte) {
	t.Helper()
	var m struct {
		Method         string
		Params, Result json.RawMessage
		Error          json.RawMessage
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	switch {
	case m.Method != "":
		method := mcp.ServerMethod(m.Method)
		if method == nil {
			method = mcp.ClientMethod(m.Method)
		}
		if method == nil {
			t.Fatalf("no method %s", m.Method)
		}
		if m.Params == nil {
			return "", nil, nil
		}
		return m.Method, method.NewParams, m.Params
	case m.Result != nil:
		of = strings.TrimSuffix(name, "Response")
		if registry["mcp"][of] == nil {
			t.Fatalf("no type %s", of)
		}
		return of, registry["mcp"][of], m.Result
	case m.Error == nil && !strings.HasSuffix(name, "Error"):
		t.Fatalf("%s is no type and no message: %s", name, data)
	}
	return "", nil, nil
}
