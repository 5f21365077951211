package server

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What needs a capability, or a revision, is hidden from clients without it, and refused to them.
//
// REQ CACHE-09, CACHE-11, TOOL-26
func TestAccess(t *testing.T) {
	s := newServer(&Options{Cache: Cache{Tools: CacheHint{Public: true}}})
	add(t, s.AddTool(mcp.Tool{Name: "all"}, says("")))
	add(t, s.Add(Item{Definition: &mcp.Tool{Name: "asks"}, Handler: says(""), Access: Access{Needs: []string{mcp.ClientCapabilityElicitation}}}))
	add(t, s.Add(Item{Definition: &mcp.Tool{Name: "links"}, Handler: says(""), Access: Access{Needs: []string{mcp.ClientCapabilityElicitationURL, mcp.ClientCapabilityRoots}}}))
	add(t, s.Add(Item{Definition: &mcp.Tool{Name: "new"}, Handler: says(""), Access: Access{MinRevision: mcp.V2025_06_18}}))
	add(t, s.Add(Item{Definition: &mcp.Tool{Name: "samples"}, Handler: says(""), Access: Access{Needs: []string{mcp.ClientCapabilitySampling}}}))
	add(t, s.Add(Item{Definition: &mcp.Prompt{Name: "p"}, Handler: PromptHandler(noPrompt), Access: Access{MinRevision: mcp.V2025_11_25}}))
	add(t, s.Add(Item{Definition: &mcp.Resource{URI: "x:1", Name: "x"}, Handler: ResourceHandler(func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
		return TextResource("", ""), nil
	}), Access: Access{Needs: []string{mcp.ClientCapabilityRoots}}}))
	add(t, s.Add(Item{Definition: &mcp.ResourceTemplate{URITemplate: "y:{z}", Name: "y"}, Match: prefix("y:"), Handler: TemplateHandler(func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
		return TextResource("", ""), nil
	}), Access: Access{Needs: []string{mcp.ClientCapabilityRoots}, MinRevision: mcp.V2025_06_18}}))
	add(t, s.CompleteTemplate("y:{z}", "z", func(context.Context, *Call, string, map[string]string) ([]string, error) { return nil, nil }))

	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		for caps, has := range map[string]string{
			`{}`:                          "all new",
			`{"elicitation":{}}`:          "all asks new",
			`{"elicitation":{"url":{}}}`:  "all new",
			`{"sampling":{},"roots":{}}`:  "all new samples",
			allCaps:                       "all asks links new samples",
			`{"elicitation":{"form":{}}}`: "all asks new",
		} {
			c := newClient(t, s, rev, caps)
			list := c.Must("tools/list", `{}`)
			if strings.Contains(list, "public") {
				t.Errorf("%s: a list that depends on the client must not be shared: %s", caps, list)
			}
			for _, name := range []string{"all", "asks", "links", "new", "samples"} {
				want := strings.Contains(has, name)
				switch name {
				case "new":
					want = rev >= mcp.V2025_06_18
				case "asks":
					want = want && rev >= mcp.V2025_06_18
				case "links":
					want = want && rev >= mcp.V2025_11_25
				}
				if strings.Contains(list, `"name":"`+name+`"`) != want {
					t.Errorf("%s: %s in the list: %s, want %t", caps, name, list, want)
				}
				result, err := c.Call("tools/call", `{"name":"`+name+`"}`)
				if got := err == nil && !strings.Contains(result, `"isError":true`); got != want {
					t.Errorf("%s: %s: %s %v, want success %t", caps, name, result, err, want)
				}
			}
		}
		c := newClient(t, s, rev, `{}`)
		if rev < mcp.V2025_06_18 {
			equal(t, "revision", c.Fails("tools/call", `{"name":"new"}`, codeInvalidParams).Message,
				`tool "new": want revision 2025-06-18 or later, got `+rev.String())
		}
		if rev < mcp.Modern {
			contains(t, "capability", c.Must("tools/call", `{"name":"samples"}`), "does not declare a capability that is required: sampling")
		} else {
			contains(t, "capability", string(c.Fails("tools/call", `{"name":"samples"}`, mcp.CodeMissingRequiredClientCapability).Data), `{"sampling":{}}`)
			equal(t, "capabilities", string(c.Fails("tools/call", `{"name":"links"}`, mcp.CodeMissingRequiredClientCapability).Data),
				`{"requiredCapabilities":{"roots":{},"elicitation":{"url":{}}}}`)
		}
		if rev < mcp.V2025_11_25 {
			contains(t, "prompt", c.Fails("prompts/get", `{"name":"p"}`, codeInvalidParams).Message, "want revision 2025-11-25")
			equal(t, "prompts", bare(c.Must("prompts/list", `{}`)), `{"prompts":[]}`)
		} else {
			c.Must("prompts/get", `{"name":"p"}`)
		}
		able := newClient(t, s, rev, allCaps)
		for _, uri := range []string{"x:1", "y:1"} {
			switch _, err := c.Call("resources/read", `{"uri":"`+uri+`"}`); {
			case err == nil:
				t.Errorf("%s is read without what it needs", uri)
			case uri == "y:1" && rev < mcp.V2025_06_18:
				equal(t, "revision", err.Message, `resource "y:1": want revision 2025-06-18 or later, got `+rev.String())
			case rev < mcp.Modern:
				contains(t, "capability", err.Message, "a capability that is required: roots")
			default:
				contains(t, "capability", string(err.Data), `{"roots":{}}`)
			}
			if uri == "x:1" || rev >= mcp.V2025_06_18 {
				able.Must("resources/read", `{"uri":"`+uri+`"}`)
			}
		}
		if list := c.Must("resources/templates/list", `{}`); strings.Contains(list, "y:") {
			t.Errorf("a template is listed without what it needs: %s", list)
		}
		const complete = `{"ref":{"type":"ref/resource","uri":"y:{z}"},"argument":{"name":"z","value":""}}`
		contains(t, "completion", c.Fails("completion/complete", complete, codeInvalidParams).Message, "unknown resource template")
	})
}

func TestAccessMistakes(t *testing.T) {
	s := newServer(nil)
	for want, access := range map[string]Access{
		`tool "t": needs: want elicitation, elicitation.url, roots or sampling, got "elicitations"`: {Needs: []string{"elicitations"}},
		`tool "t": the oldest revision is not one of the protocol`:                                  {MinRevision: 7},
	} {
		if err := s.Add(Item{Definition: &mcp.Tool{Name: "t"}, Handler: says(""), Access: access}); err == nil || err.Error() != "server: Add: "+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What is registered twice is an error, whatever it is.
func TestTaken(t *testing.T) {
	s := newServer(nil)
	nothing := func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) { return nil, nil }
	complete := func(context.Context, *Call, string, map[string]string) ([]string, error) { return nil, nil }
	all := func() []error {
		return []error{
			s.AddTool(mcp.Tool{Name: "a"}, says("")),
			s.AddPrompt(mcp.Prompt{Name: "a"}, noPrompt),
			s.AddResource(mcp.Resource{URI: "x:a", Name: "a"}, nothing),
			s.AddTemplate(mcp.ResourceTemplate{URITemplate: "y:{z}", Name: "a"}, prefix("y:"), func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
				return nil, nil
			}),
			s.CompletePrompt("a", "x", complete),
			s.CompleteTemplate("y:{z}", "z", complete),
		}
	}
	for _, err := range all() {
		add(t, err)
	}
	for i, err := range all() {
		want := []string{`AddTool: tool "a": there is one already`, `AddPrompt: prompt "a": there is`, `AddResource: resource "x:a": there is`,
			`AddTemplate: template "y:{z}": there is`, `CompletePrompt: prompt "a": the argument "x" has a completer already`, `CompleteTemplate: template "y:{z}": the argument "z" has a completer already`}[i]
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	s.RemoveTools("a")
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("")))
}

func TestDefine(t *testing.T) {
	s := newServer(&Options{Define: func(item any) {
		switch v := item.(type) {
		case *mcp.Tool:
			v.Title = "T"
			if v.Name == "renamed" {
				v.Name = "other"
			}
		case *mcp.Prompt:
			v.Description = "D"
		case *mcp.Resource:
			v.MIMEType = "text/plain"
		case *mcp.ResourceTemplate:
			v.Icons = []mcp.Icon{{Src: "https://example.com/a.png"}}
		}
	}})
	tool := mcp.Tool{Name: "a"}
	add(t, s.AddTool(tool, says("")))
	add(t, s.AddPrompt(mcp.Prompt{Name: "a"}, noPrompt))
	add(t, s.AddResource(mcp.Resource{URI: "x:a", Name: "a"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) { return nil, nil }))
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "y:{z}", Name: "a"}, prefix("y:"), func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
		return nil, nil
	}))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	contains(t, "tool", c.Must("tools/list", `{}`), `"title":"T"`)
	contains(t, "prompt", c.Must("prompts/list", `{}`), `"description":"D"`)
	contains(t, "resource", c.Must("resources/list", `{}`), `"mimeType":"text/plain"`)
	contains(t, "template", c.Must("resources/templates/list", `{}`), `https://example.com/a.png`)
	equal(t, "the definition of the caller", tool.Title, "")
	if err := s.AddTool(mcp.Tool{Name: "renamed"}, says("")); err == nil || !strings.Contains(err.Error(), `has changed the name or URI "renamed" to "other"`) {
		t.Error(err)
	}
}
