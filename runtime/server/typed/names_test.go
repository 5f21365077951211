package typed_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/typed"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type region struct {
	Region string `json:"region"`
}

// A member gets past neither the schema nor a header by being written in other letters or twice.
func TestExactNames(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, nil)
	ran := ""
	err := typed.AddTool(s, mcp.Tool{Name: "t", InputSchema: wire.Raw(`{"type":"object","properties":{"region":{"type":"string","enum":["us"],"x-mcp-header":"Region"}}}`)},
		func(_ context.Context, _ *server.Call, in region) (report, error) {
			ran = in.Region
			return report{}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, test := range []struct{ args, header, want string }{
		{`{"region":"us","REGION":"eu"}`, "us", `REGION: unknown member; did you mean region instead of \"REGION\"?`},
		{`{"REGION":"eu"}`, "", `REGION: unknown member; did you mean region instead of \"REGION\"?`},
		{`{"region":"us","region":"eu"}`, "", `the argument region is given twice`},
		{`{"region":"us","other":{"Region":1}}`, "us", `"resultType":"complete"`},
	} {
		ran = ""
		headers := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"t"}}
		if test.header != "" {
			headers.Set("Mcp-Param-Region", test.header)
		}
		raw, err := server.NewEndpoint(s).ServeRequest(t.Context(), &transport.Request{ID: wire.IntID(1), Method: "tools/call", Origin: transport.Origin{Header: headers}, Meta: wire.Raw(meta),
			Params: wire.Raw(`{"_meta":` + meta + `,"name":"t","arguments":` + test.args + `}`)})
		got := string(raw)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) || ran == "eu" {
			t.Errorf("%s: got %s, want %s; the handler got %q", test.args, got, test.want, ran)
		}
	}
}

type (
	deepest struct{ Lost, Deep int }
	left    struct {
		deepest
		Both  int
		Loser int `json:"won"`
		Dash  int `json:"-"`
	}
	Right struct {
		*Other
		Both  int
		Outer int `json:"other"`
	}
	Other struct {
		Name string `json:"Name,omitempty"`
		//lint:ignore SA5008 the wrong tag is what is tested
		Bad  int `json:"b\"d"`
		Kids []*tree
	}
	//lint:ignore U1000 reflection finds it
	number int
	tree   struct {
		left
		Right
		//lint:ignore U1000 reflection finds it
		number
		Won   int `json:"won"`
		hid   int
		C     int             `json:"c"`
		Cc    int             `json:"C"`
		K     int             `json:"k"`
		Map   map[string]tree `json:"map"`
		Array [2]tree2
		Raw   json.RawMessage
		Any   any
		Self  *tree
	}
	tree2 struct{ X int }
)

// Of what is let through, encoding/json uses nothing but the members whose names are exact.
func TestNamesAsInJSON(t *testing.T) {
	_ = tree{hid: 1}.hid
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, nil)
	err := typed.AddTool(s, mcp.Tool{Name: "t", InputSchema: wire.Raw(`{"type":"object"}`)},
		func(context.Context, *server.Call, tree) (report, error) { return report{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"Lost", "Deep", "Both", "won", "-", "Dash", "Loser", "other", "Name", "b\"d", "Bad", "Kids", "number", "hid",
		"A", "a", "B", "b", "c", "C", "k", "map", "Array", "Raw", "Any", "Self", "X", "left", "Right", "Other"}
	exact := map[string]bool{}
	for _, name := range names {
		for _, spelled := range []string{name, strings.ToUpper(name), strings.ToLower(name), strings.ReplaceAll(name, "k", "\u212a")} {
			for _, value := range []string{"7", `"x"`, `{"x":7}`, `{"q":{"won":7}}`, `{"q":{"WON":7}}`, `[{"x":7}]`, `[{"X":7}]`} {
				member, _ := json.Marshal(spelled)
				text := `{` + string(member) + `:` + value + `}`
				answer := call(t, s, "tools/call", `{"name":"t","arguments":`+text+`}`)
				if strings.Contains(answer, "did you mean") {
					continue
				}
				var want tree
				if json.Unmarshal([]byte(text), &want) != nil {
					continue
				}
				used, _ := json.Marshal(want)
				empty, _ := json.Marshal(tree{})
				if string(used) != string(empty) {
					exact[spelled] = true
				}
			}
		}
	}
	want := "Any Array Bad C Deep Kids Lost Name Raw Self c k map other won"
	var list []string
	for _, name := range strings.Fields(want) {
		if !exact[name] {
			t.Errorf("%s is not taken", name)
		}
		delete(exact, name)
	}
	for name := range exact {
		list = append(list, name)
	}
	if list != nil {
		t.Errorf("these are taken, too: %q", list)
	}
}
