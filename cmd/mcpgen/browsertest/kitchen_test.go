package browsertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev/page"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// orderSchema has one of everything that a form can express.
const orderSchema = `{
	"type": "object",
	"required": ["tea", "cups", "address"],
	"properties": {
		"tea": {"enum": ["assam", "darjeeling", "sencha"], "description": "Which tea."},
		"cups": {"type": "integer", "minimum": 1, "maximum": 12, "default": 2, "description": "How many cups."},
		"express": {"type": "boolean", "description": "Whether it is urgent."},
		"day": {"type": "string", "format": "date"},
		"notes": {"type": "array", "items": {"type": "string"}, "description": "What else the kitchen has to know."},
		"address": {"$ref": "#/$defs/Address"},
		"gift": {"$ref": "#/$defs/Gift"},
		"pay": {"oneOf": [
			{"type": "object", "required": ["kind"], "properties": {"kind": {"const": "cash"}}},
			{"type": "object", "required": ["kind", "number"], "properties": {"kind": {"const": "card"}, "number": {"type": "string"}}}
		]},
		"extra": {"type": "object", "additionalProperties": {"type": "number"}}
	},
	"$defs": {
		"Address": {"type": "object", "required": ["street"], "properties": {"street": {"type": "string"}, "floor": {"type": "integer"}}},
		"Gift": {"type": "object", "properties": {"to": {"type": "string"}, "within": {"$ref": "#/$defs/Gift"}}}
	}
}`

const orderOutput = `{"type": "object", "required": ["number", "lines"], "properties": {"number": {"type": "integer"}, "lines": {"type": "array", "items": {"type": "string"}}, "paid": {"type": "boolean"}}}`

// A kitchen is a server with one of everything, behind the page of mcpgen dev.
type kitchen struct {
	*testing.T
	*server.Server
	page *page.Page
	url  string
	far  *inmem.End // the server's end of its connection

	step      chan struct{} // lets brew continue
	cancelled chan struct{} // receives a value when brew is cancelled
}

var quiet = slog.New(slog.DiscardHandler)

// open starts a kitchen that speaks these revisions, by default all.
func open(t *testing.T, revisions ...wire.Revision) *kitchen {
	t.Helper()
	k := &kitchen{T: t, page: page.New(), step: make(chan struct{}), cancelled: make(chan struct{}, 1)}
	k.Server = server.New(mcp.Implementation{Name: "kitchen", Title: "The Kitchen", Version: "1.2.0"}, &server.Options{
		Revisions:    revisions,
		NotifyRate:   -1, // a step follows as soon as the page shows the one before
		Instructions: "Order first, then brew.", Logger: quiet, Logging: true, Setup: []server.Setup{taskserver.Enable(nil)},
		OnSubscribe: func(context.Context, *server.Call, string) error { return nil },
	})
	k.tools()
	k.others()
	k.url, k.far = show(t, k.Server, k.page)
	return k
}

// show serves a page in front of a server. It returns the URL of the page, and the server's end of its connection.
func show(t *testing.T, s *server.Server, p *page.Page) (url string, far *inmem.End) {
	t.Helper()
	endpoint, err := dev.NewEndpoint(slog.New(p.Handler(quiet.Handler())))
	if err != nil {
		t.Fatal(err)
	}
	near, far := inmem.Pair(0)
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), far) }()
	child, err := new(dev.Connection).Connect(t.Context(), endpoint, p.Tap(near))
	if err != nil {
		t.Fatal(err)
	}
	endpoint.Replace(t.Context(), child)
	mux := http.NewServeMux()
	mux.Handle("/", p)
	handler := streamable.NewHandler(endpoint.Server(), &streamable.Options{Logger: quiet})
	mux.Handle("/mcp", handler)
	site := httptest.NewServer(mux)
	address := site.Listener.Addr().String()
	sandbox := httptest.NewServer(p.Sandbox())
	p.Begin(page.Options{
		Server: endpoint.Server(), About: endpoint.About, Endpoint: "http://" + address + "/mcp", Sandbox: sandbox.URL, Logger: quiet,
		Roots: []mcp.Root{{URI: "file:///kitchen", Name: "kitchen"}},
	})
	p.Show(dev.State{Phase: dev.Serving, Serves: true, Summary: "built in 1.1 s: 7 tools, 1 prompt, 2 resources, 1 template", Verdict: "callers are safe"})
	t.Cleanup(func() {
		p.Close()
		handler.Shutdown(context.Background())
		site.Close()
		sandbox.Close()
		child.Close()
		far.Close()
		<-served
	})
	return p.URL(address), far
}

func (k *kitchen) must(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

// tool adds a tool.
func (k *kitchen) tool(t mcp.Tool, handle func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error)) {
	k.Helper()
	k.must(k.AddTool(t, handle))
}

func (k *kitchen) tools() {
	yes, no := true, false
	k.tool(mcp.Tool{Name: "order", Title: "Order tea", Description: "Orders tea, which somebody has to brew.\n\nIt is not paid before it is drunk.",
		InputSchema: wire.Raw(orderSchema), OutputSchema: wire.Raw(orderOutput), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: &no, DestructiveHint: &no, IdempotentHint: &yes}},
		func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			text := fmt.Sprintf(`{"number":41,"lines":[%q,"thank you"],"paid":false}`, args.StringAt("tea"))
			return &mcp.CallToolResult{StructuredContent: wire.Raw(text), Content: []mcp.ContentBlock{&mcp.TextContent{Text: text}}}, nil
		})
	k.tool(mcp.Tool{Name: "spill", Description: "Promises a number and gives a text.", OutputSchema: wire.Raw(orderOutput)}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, errors.New("the tea is on the floor: <img src=x onerror=alert(1)>")
	})
	k.tool(mcp.Tool{Name: "brew", Description: "Brews what was ordered, and says how far it is."}, k.brew)
	k.tool(mcp.Tool{Name: "reserve", Description: "Asks who comes, and when."}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		guest, err := ask.Form[struct {
			Name string `json:"name" jsonschema:"Who comes"`
			Size int    `json:"size"`
		}](ctx, c, "Who comes, and how many are they?")
		if err != nil {
			return nil, err
		}
		return server.TextResult(fmt.Sprintf("a table for %s, %d seats", guest.Name, guest.Size)), nil
	})
	k.tool(mcp.Tool{Name: "advise", Description: "Has a model choose the tea."}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		r, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{
			SystemPrompt: "You know teas.", MaxTokens: 100,
			Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "Which tea goes with rain?"}}}},
		})
		if err != nil {
			return nil, err
		}
		return server.TextResult(r.Model + " says: " + r.Content[0].(*mcp.TextContent).Text), nil
	})
	k.tool(mcp.Tool{Name: "picture", Description: "Paints a cup.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: &yes}}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{server.Image("image/png", cup()), &mcp.TextContent{Text: "A cup."}}}, nil
	})
	k.tool(mcp.Tool{Name: "throw_away", Description: "Throws all cups away.", Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		if err := ask.Confirm(ctx, c, "Throw all cups away?"); err != nil {
			return nil, err
		}
		return server.TextResult("thrown away"), nil
	})
	k.tool(mcp.Tool{Name: "chatter", Description: "Logs a thousand lines."}, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		out := k.page.Stderr()
		for i := range 1000 {
			fmt.Fprintf(out, "line %d of the kitchen\n", i+1)
		}
		c.Logger().Warn("that was much")
		return server.TextResult("said"), nil
	})
}

// brew reports progress, a step at a time.
func (k *kitchen) brew(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
	for i := range 3 {
		c.Progress().Report(float64(i+1), 4, fmt.Sprintf("step %d", i+1))
		select {
		case <-k.step:
		case <-ctx.Done():
			select {
			case k.cancelled <- struct{}{}:
			default:
			}
			return nil, ctx.Err()
		}
	}
	return server.TextResult("brewed"), nil
}

func (k *kitchen) others() {
	k.must(k.AddResource(mcp.Resource{Name: "menu", URI: "kitchen://menu", MIMEType: "application/json", Description: "What there is."},
		func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("application/json", `{"teas":["assam","darjeeling","sencha"]}`), nil
		}))
	k.must(k.AddTemplate(mcp.ResourceTemplate{Name: "tea", URITemplate: "kitchen://teas/{name}", Description: "One tea."},
		func(uri string) (map[string]string, bool) {
			name, ok := strings.CutPrefix(uri, "kitchen://teas/")
			return map[string]string{"name": name}, ok
		},
		func(_ context.Context, _ *server.Call, uri string, vars map[string]string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", "a tea called "+vars["name"]), nil
		}))
	k.must(k.AddPrompt(mcp.Prompt{Name: "toast", Description: "A toast to someone.", Arguments: []mcp.PromptArgument{{Name: "guest", Description: "To whom."}}},
		func(_ context.Context, _ *server.Call, args map[string]string) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "Raise a cup to " + args["guest"]}}}}, nil
		}))
	k.must(k.CompletePrompt("toast", "guest", func(_ context.Context, _ *server.Call, typed string, _ map[string]string) ([]string, error) {
		var all []string
		for _, name := range []string{"Ada", "Alan", "Grace"} {
			if strings.HasPrefix(strings.ToLower(name), strings.ToLower(typed)) {
				all = append(all, name)
			}
		}
		return all, nil
	}))
}

// cup returns a small picture.
func cup() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 240, 160))
	for y := range 160 {
		for x := range 240 {
			if dx, dy := x-120, y-60; dx*dx+dy*dy < 2500 && dy > -10 {
				img.Set(x, y, color.RGBA{R: 0x0b, G: 0x57, B: 0xd0, A: 0xff})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}
