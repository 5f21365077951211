package roundtrip

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The tests here use the types of the server home, as a program would.

// TestRefused decodes what the schemas do not allow.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		into any
		text string
		want string // in the error
	}{
		{new(LightTurnOnArgs), `{}`, "LightTurnOnArgs: missing required member: entity_id"},
		{new(LightTurnOnArgs), `{"entity_id":"a","effect":"x","effect":"y"}`, `duplicate member "effect"`},
		{new(LightTurnOnArgs), `{"entity_id":"a","x":1,"x":2}`, `duplicate member "x"`},
		{new(LightTurnOnArgs), `{"entity_id":"a","effect":null}`, "effect: want string, got null"},
		{new(LightTurnOnArgs), `{"entity_id":"a","brightness_pct":"1"}`, "brightness_pct: want number, got string"},
		{new(LightTurnOnArgs), `{"entity_id":"a","color":{"hs":[1]}}`, "the array is too short"},
		{new(LightTurnOnArgs), `{"entity_id":"a","color":{"rgb":[1.5,2,3]}}`, ""}, // it is none of the alternatives
		{new(ClimateSetArgs), `{"entity_id":"a","range":{"low":1,"high":2,"mid":3}}`, `unknown member "mid"`},
		{new(ClimateSetArgs), `{"entity_id":"a","range":{"low":1,"HIGH":2}}`, `unknown member "HIGH"`},
		{new(EnergyArgs), `{"period":7,"unit":"MWh"}`, `unit: want "kWh", got "MWh"`},
		{new(EnergyArgs), `[]`, "want object, got array"},
		{new(EnergyArgs), `{"period":7,"unit":"kWh"} 1`, ""}, // which encoding/json refuses itself
	} {
		err := json.Unmarshal([]byte(tt.text), tt.into)
		if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %q", tt.text, err, tt.want)
		}
	}
}

// TestKept decodes what the schemas do not know, which is kept.
func TestKept(t *testing.T) {
	for _, tt := range []struct {
		into any
		text string
	}{
		{new(LightTurnOnArgs), `{"entity_id":["a","b"],"new":[1,{"a":null}],"Effect":1}`},
		{new(LightTurnOnArgs), `{"entity_id":"","transition":null,"effect":""}`},
		{new(LightTurnOnArgs), `{"entity_id":"a","color":{"xy":[1,2]}}`},
		{new(LightTurnOnArgs), `{"entity_id":"a","flash":"medium"}`},
		{new(EnergyArgs), `{"period":"week","unit":"kWh"}`},
		{new(GetStatesResult), `{"states":[]}`},
		{new(FirmwareResult), `{"version":"1","channel":"nightly","signed":true,"device":{"id":"a","new":1,"parent":{"id":"b","new":null}}}`},
		{new(WhoIsHomeResult), `{"who":{"pet":"Rex","kind":"bird","age":3},"at":"home"}`},
		{new(WhoIsHomeResult), `{"who":{"robot":"R2"}}`},
	} {
		if err := json.Unmarshal([]byte(tt.text), tt.into); err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		got, err := json.Marshal(tt.into)
		if diff := differ(wire.Raw(tt.text), got); err != nil || diff != "" {
			t.Errorf("%s became %s, %v: %s", tt.text, got, err, diff)
		}
	}
}

// TestIncomplete encodes what is not a value of its type.
func TestIncomplete(t *testing.T) {
	for want, v := range map[string]wire.Encodable{
		"VacuumArgs: cmd: want exactly one field of VacuumArgsCmd that is not nil": &VacuumArgs{},
		"LightTurnOnArgs: effect: want an extra member, got one that the type declares": &LightTurnOnArgs{
			EntityID: LightTurnOnArgsEntityID{String: new("a")}, Extra: wire.Extra{{Name: "effect", Value: wire.Raw("1")}}},
	} {
		if _, err := wire.Marshal(wire.Any, v); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestFake uses the interface of all calls.
func TestFake(t *testing.T) {
	var calls Calls = &Fake{VacuumFunc: func(_ context.Context, args VacuumArgs) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: string(*args.Cmd.String)}}}, nil
	}}
	r, err := calls.Vacuum(t.Context(), VacuumArgs{Cmd: VacuumArgsCmd{String: new(VacuumArgsCmdStringDock)}})
	if err != nil || client.Text(r.Content) != "dock" {
		t.Errorf("got %v, %v", r, err)
	}
	if _, err := calls.Scene(t.Context(), SceneArgs{}); err == nil || err.Error() != "Fake.SceneFunc is nil" {
		t.Errorf("got %v", err)
	}
}

// TestOffers gets a prompt, reads a resource, and calls a tool that fails.
func TestOffers(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "home", Version: "1"}, nil)
	s.AddPrompt(mcp.Prompt{Name: "suggest_scene"}, func(_ context.Context, _ *server.Call, args map[string]string) (*mcp.GetPromptResult, error) {
		text, err := json.Marshal(args)
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: string(text)}}}}, err
	})
	template := mcp.ResourceTemplate{Name: "sensor", URITemplate: "home://{room}/{sensor}{?unit}"}
	if err := uritemplate.Add(s, template, func(_ context.Context, _ *server.Call, uri string, vars map[string]string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("text/plain", vars["room"]+" "+vars["sensor"]+" "+vars["unit"]), nil
	}); err != nil {
		t.Fatal(err)
	}
	s.AddTool(mcp.Tool{Name: "scene", InputSchema: wire.Raw(`{"type":"object"}`)}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: new(true), Content: []mcp.ContentBlock{&mcp.TextContent{Text: "no such scene"}}}, nil
	})
	c := New(dial(t, s))
	ctx := t.Context()
	for want, args := range map[string]SuggestScenePromptArgs{
		`{"room":"hall"}`:           {Room: "hall"},
		`{"mood":"","room":"hall"}`: {Room: "hall", Mood: new("")},
	} {
		p, err := c.SuggestScenePrompt(ctx, args)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Messages[0].Content.(*mcp.TextContent).Text; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, unit := range []string{"", "°C"} {
		r, err := c.ReadSensor(ctx, "living room/1", "a&b", unit)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := r.Contents[0].(*mcp.TextResourceContents).Text, "living room/1 a&b "+unit; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if _, err := c.Scene(ctx, SceneArgs{}); err == nil || err.Error() != `tool "scene" failed: no such scene` {
		t.Errorf("got %v", err)
	}
}

func dial(t *testing.T, s *server.Server) *client.Client {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	near, far := inmem.Pair(0)
	go s.Serve(ctx, far)
	c, err := client.Connect(ctx, near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestDeterministic encodes a map twice.
func TestDeterministic(t *testing.T) {
	args := SceneArgs{Name: "x", Entities: map[string]SceneArgsEntitiesValue{}}
	for _, name := range strings.Fields("e d c b a") {
		args.Entities[name] = SceneArgsEntitiesValue{String: new(SceneArgsEntitiesValueStringOn)}
	}
	first, err := json.Marshal(args)
	again, _ := json.Marshal(args)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("%s, %s, %v", first, again, err)
	}
}

// TestManyMembers decodes an object of more members than the decoder keeps track of itself.
func TestManyMembers(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 70 {
		fmt.Fprintf(&b, `"t%02d":%d,`, i, i)
	}
	all := b.String()
	for text, want := range map[string]string{
		all + `"note":""}`: "",
		all + `"t00":1}`:   `duplicate member "t00"`,
		all + `"t69":1}`:   "duplicate member",
		strings.Replace(all, `"t66":66,`, "", 1) + `"x":1}`: "missing required member before it: t66",
		strings.Replace(all, `"t05":5,`, "", 1) + `"x":1}`:  "missing required member: t05",
	} {
		err := json.Unmarshal([]byte(text), new(CalibrateArgs))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
