package forms

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A user enters content into every form, and keeps the last one.
type user struct {
	content string
	form    *mcp.ElicitRequestFormParams
}

func (u *user) Elicit(_ context.Context, p mcp.ElicitRequestParams) (*mcp.ElicitResult, error) {
	u.form = p.(*mcp.ElicitRequestFormParams)
	r := new(mcp.ElicitResult)
	return r, wire.Decode(wire.Raw(`{"action":"accept","content":`+u.content+`}`), r)
}

// text returns the params of the request for input.
func (u *user) text(t *testing.T) string {
	t.Helper()
	text, err := wire.Marshal(mcp.V2025_11_25, u.form)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Types with the same fields and tags, but without methods: their forms are made at run time.
type (
	inferredNumbers Numbers
	inferredTexts   Texts
	inferredOthers  Others
	inferredNothing Nothing
)

var shown = cmp.Options{
	cmp.AllowUnexported(Others{}, embedded{}),
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
	cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b }),
}

// compare asks with both forms of a type.
func compare[G, I any](t *testing.T, convert func(I) G, contents ...string) {
	t.Helper()
	if _, ok := any(*new(G)).(interface{ MCPForm() args.Form[G] }); !ok {
		t.Errorf("%T has no generated form", *new(G))
	}
	if _, ok := any(*new(I)).(interface{ MCPForm() args.Form[I] }); ok {
		t.Errorf("%T has a generated form", *new(I))
	}
	for _, content := range append(contents, `{}`) {
		var generated, inferred user
		generated.content, inferred.content = content, content
		g, err := ask.Form[G](t.Context(), &generated, "?")
		i, inferredErr := ask.Form[I](t.Context(), &inferred, "?")
		if diff := cmp.Diff(inferred.text(t), generated.text(t)); diff != "" {
			t.Errorf("the form of %T: -inferred +generated\n%s", g, diff)
		}
		if (err == nil) != (inferredErr == nil) {
			t.Errorf("%s: generated %v, inferred %v", content, err, inferredErr)
			continue
		}
		if diff := cmp.Diff(convert(i), g, shown); diff != "" && err == nil {
			t.Errorf("%s: -inferred +generated\n%s", content, diff)
		}
	}
}

// TestForms compares what is generated with what is made at run time of the same types.
//
// REQ ELIC-06, ELIC-08
func TestForms(t *testing.T) {
	compare(t, func(v inferredNumbers) Numbers { return Numbers(v) },
		`{"int":-1,"int8":3.0,"Int16":1e2,"Int32":-0,"int64":9007199254740993,"uint":1,"Uint8":255,"Uint16":2,"Uint32":1,"Uint64":18446744073709551615,"F32":0.5,"F64":1e9,"own":5}`,
		`{"int":9223372036854775808}`, `{"int8":128}`, `{"uint":-1}`, `{"Uint64":18446744073709551616}`, `{"F32":1e300}`, `{"unknown":{}}`)
	compare(t, func(v inferredTexts) Texts { return Texts(v) },
		`{"plain":"\u00e4\n","Long":"abc","Mail":"a@b.example","Link":"x:y","Day":"2026-03-01","Moment":"2026-03-01T00:00:00Z","Color":"red",
			"address":"::1","Nearest":"127.0.0.1:2","Several":["c","a"],"named":["y z"]}`,
		`{"address":"nowhere"}`, `{"Nearest":"127.0.0.1"}`, `{"Several":[],"named":[]}`)
	compare(t, func(v inferredOthers) Others { return Others(v) },
		`{"inner":"a","level":2,"at":"2026-02-28T10:00:00+01:00","since":"2026-02-28T10:00:00.5Z","Day":"2026-01-30","Free":"2024-02-29","yes":true,"no":true,"news":true}`,
		`{"at":"2026-02-28T10:00:00Z","yes":false}`)
	compare(t, func(v inferredNothing) Nothing { return Nothing(v) }, `{"a":1}`)
}

// What only the generator knows is in the form, and in what is read.
func TestStay(t *testing.T) {
	u := user{content: `{"level":3,"name":"Ada","room":"double","floor":"upper","rooms":["single"],"served":[]}`}
	got, err := ask.Form[Stay](t.Context(), &u, "?")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Stay{&Deep{3}, "Ada", Double, Upper, []Room{Single}, []string{}}, got); diff != "" {
		t.Error(diff)
	}
	text, err := wire.Marshal(mcp.V2025_11_25, &u.form.RequestedSchema)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"level":{"type":"integer"},"name":{"type":"string","description":"The guest's name.","minLength":1},` +
		`"room":{"type":"string","description":"A kind of room.\n- single: Single is for one.","enum":["single","double"],"default":"single"},` +
		`"floor":{"type":"string","description":"Where the guest wants to sleep.","enum":["ground","upper"]},` +
		`"rooms":{"type":"array","items":{"type":"string","enum":["single","double"]}},` +
		`"served":{"type":"array","items":{"type":"string","enum":["tea","cake"]},"default":["tea"]}},"required":["name","floor"]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}

// A struct does not take the form of one that is embedded in it, and is none of the package's.
func TestEmbedded(t *testing.T) {
	type more struct {
		Others
		More string `json:"more"`
	}
	u := user{content: `{"more":"yes"}`}
	got, err := ask.Form[more](t.Context(), &u, "?")
	if _, ok := u.form.RequestedSchema.Properties.Get("more"); !ok || err != nil || got.More != "yes" {
		t.Errorf("got %+v and %v", got, err)
	}
}

// A server and a client agree about all forms, in both eras.
func TestServed(t *testing.T) {
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		s := server.New(mcp.Implementation{Name: "forms"}, nil)
		if err := Register(s); err != nil {
			t.Fatal(err)
		}
		contents := []string{`{"int":1,"int8":1,"Int16":1,"Int32":1,"Uint16":1,"F32":1,"own":1}`, `{"plain":"a","Long":"abc","address":"::1"}`,
			`{"inner":"a","at":"2026-02-28T10:00:00Z","yes":true}`, `{}`, `{"name":"Ada","floor":"ground"}`, `{"name":"Ada"}`}
		asked := 0
		c := mcptest.Connect(t, s, &mcptest.Options{Revision: rev, Client: client.Options{Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			asked++
			if asked > len(contents) {
				return nil, errors.New("asked too often")
			}
			r := new(mcp.ElicitResult)
			return r, wire.Decode(wire.Raw(fmt.Sprintf(`{"action":"accept","content":%s}`, contents[asked-1])), r)
		}}}})
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "ask"})
		if err != nil || r.GetIsError() || asked != len(contents) {
			t.Errorf("%s: got %+v and %v after %d forms", rev, r, err, asked)
		}
	}
}
