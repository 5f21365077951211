package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/examples/everything/features"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Whatever a client hands to a program can be marshalled: what callbacks, handlers and middleware are called with, and
// what methods return. Each of them is tried at the revisions that have it, with a server that has every feature.
func TestHandedOver(t *testing.T) {
	h := &handed{revisions: map[string][]wire.Revision{}}
	mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
		synctest.Test(t, func(t *testing.T) { h.try(t, revision) })
	})
	want := []string{"WithProgress", "WithStarted", "Methods.Request", "Methods.Notification", "List", "OnTask", "Elicit.Form", "Elicit.URL", "Options.Observer", "Options.Send", "Options.Receive"}
	for f := range reflect.TypeFor[client.Options]().Fields() {
		if f.Type.Kind() == reflect.Func && slices.ContainsFunc(slices.Collect(f.Type.Ins()), isHandedOver) {
			want = append(want, "Options."+f.Name)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[*client.Client](), reflect.TypeFor[*taskclient.Task](), reflect.TypeFor[*client.Subscription]()} {
		for m := range of.Methods() {
			if slices.ContainsFunc(slices.Collect(m.Type.Outs()), isHandedOver) {
				want = append(want, of.Elem().Name()+"."+m.Name)
			}
		}
	}
	for _, name := range want {
		if h.revisions[name] == nil {
			t.Errorf("%s has handed nothing over: let handed.try use it", name)
		}
	}
}

// isHandedOver reports whether values of a type are to be marshalled.
func isHandedOver(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[context.Context](), reflect.TypeFor[error](), reflect.TypeFor[*taskclient.Task](), reflect.TypeFor[*client.Subscription]():
		return false
	}
	return t.Kind() != reflect.Chan && t.Kind() != reflect.String
}

// A handed knows what clients have handed over.
type handed struct {
	t         *testing.T
	revision  wire.Revision
	revisions map[string][]wire.Revision // at which something was handed over, by what did

	mu sync.Mutex
}

// look marshals values that a client has handed over.
func (h *handed) look(name string, values ...reflect.Value) {
	h.t.Helper()
	for _, value := range values {
		if !isHandedOver(value.Type()) || value.Kind() == reflect.Pointer && value.IsNil() || value.Kind() == reflect.Interface && value.IsNil() {
			continue
		}
		if value.Kind() == reflect.Func { // a list
			for item, err := range value.Seq2() {
				h.look(name, item, err)
			}
			continue
		}
		v := value.Interface()
		if id, ok := v.(wire.ID); ok && id.IsZero() {
			continue // which is said where it may be
		}
		if raw, ok := v.(*wire.Raw); ok && *raw == nil {
			continue // the result of a call that has become a task
		}
		if _, err := json.Marshal(v); err != nil {
			h.t.Errorf("%s has handed over a %T that cannot be marshalled: %v", name, v, err)
		}
		if e, ok := v.(wire.Encodable); ok {
			if _, err := wire.Marshal(h.revision, e); err != nil {
				h.t.Errorf("%s has handed over a %T that cannot be marshalled at %v: %v", name, v, h.revision, err)
			}
		}
		h.mu.Lock()
		if !slices.Contains(h.revisions[name], h.revision) {
			h.revisions[name] = append(h.revisions[name], h.revision)
		}
		h.mu.Unlock()
	}
}

// call calls a method, looks at what it returns, and returns that.
func (h *handed) call(of any, method string, args ...any) []reflect.Value {
	h.t.Helper()
	f := reflect.ValueOf(of).MethodByName(method)
	in := []reflect.Value{}
	for _, arg := range args {
		in = append(in, reflect.ValueOf(arg))
	}
	out := f.Call(in)
	h.look(reflect.TypeOf(of).Elem().Name()+"."+method, out...)
	return out
}

// watch makes the functions of options look at what they are called with. Those that are nil return nothing.
func (h *handed) watch(opts *client.Options) {
	of := reflect.ValueOf(opts).Elem()
	for i := range of.NumField() {
		f, name := of.Field(i), "Options."+of.Type().Field(i).Name
		if f.Kind() != reflect.Func {
			continue
		}
		next := reflect.ValueOf(f.Interface())
		f.Set(reflect.MakeFunc(f.Type(), func(in []reflect.Value) []reflect.Value {
			h.look(name, in...)
			if !next.IsNil() {
				return next.Call(in)
			}
			var out []reflect.Value
			for t := range f.Type().Outs() {
				out = append(out, reflect.Zero(t))
			}
			return out
		}))
	}
	opts.Send = []client.Middleware{func(next client.SendFunc) client.SendFunc {
		return func(ctx context.Context, c *client.Call) error {
			err := next(ctx, c)
			if result := reflect.ValueOf(c.Result); c.Result != nil && err == nil {
				if value := result.Elem(); value.Kind() == reflect.Struct && value.FieldByName("Value").IsValid() {
					result = value.FieldByName("Value") // of a wire.Box
				}
				h.look("Options.Send", result)
			}
			return err
		}
	}}
	opts.Receive = []transport.Middleware{func(next transport.MessageFunc) transport.MessageFunc {
		return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
			result, err := next(ctx, m)
			h.look("Options.Receive", reflect.ValueOf(m))
			if result != nil {
				h.look("Options.Receive", reflect.ValueOf(result))
			}
			return result, err
		}
	}}
	opts.Observer = watchedBy{h}
	opts.Methods = []client.Method{
		methods.Request("example/question", func(_ context.Context, in wire.Raw) (wire.Raw, error) {
			h.look("Methods.Request", reflect.ValueOf(in))
			return wire.Raw(`{}`), nil
		}),
		methods.Notification("notifications/example/news", func(_ context.Context, in wire.Raw) { h.look("Methods.Notification", reflect.ValueOf(in)) }),
	}
}

// watchedBy is an observer.
type watchedBy struct{ *handed }

func (w watchedBy) Observe(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	w.look("Options.Observer", reflect.ValueOf(o))
	return ctx, func() { w.look("Options.Observer", reflect.ValueOf(o)) }
}

// try uses a server with every feature at a revision.
func (h *handed) try(t *testing.T, revision wire.Revision) {
	h.t, h.revision = t, revision
	s, err := features.NewServer(mcp.Implementation{Name: "everything", Version: "1.0.0"}, server.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Shutdown(context.Background()) })
	// What the protocol has, but handlers seldom send.
	if err := s.AddTool(mcp.Tool{Name: "others"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		late := wire.Raw(`{"progressToken":"late","progress":1}`)
		err := errors.Join(c.Notify(ctx, mcp.MethodProgressNotification.Name, late), c.Notify(ctx, "notifications/example/news", wire.Raw(`{"a":1}`)))
		if err == nil {
			_, err = c.Request(ctx, "example/question", wire.Raw(`{"b":2}`))
		}
		return server.TextResult("done"), err
	}); err != nil {
		t.Fatal(err)
	}

	opts := client.Options{
		Logger: quiet, AllowUndeclared: true, Roots: []mcp.Root{{URI: "file:///srv"}},
		Capabilities: mcp.ClientCapabilities{Sampling: &mcp.ClientCapabilitiesSampling{Tools: mcp.JSONObject{}}},
		Sample: func(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "parrot", Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "Hello"}}}, nil
		},
		Elicit: elicit.Handler{
			Form: func(_ context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				h.look("Elicit.Form", reflect.ValueOf(p))
				content := map[string]any{}
				for _, field := range p.RequestedSchema.Properties {
					switch field.Value.(type) {
					case *mcp.BooleanSchema:
						content[field.Name] = true
					case *mcp.StringSchema:
						content[field.Name] = "Ada"
					}
				}
				return elicit.Accept(content)
			},
			URL: func(_ context.Context, p *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
				h.look("Elicit.URL", reflect.ValueOf(p))
				return mcp.ElicitResultActionAccept, nil
			},
		},
	}
	h.watch(&opts)
	opts.Extensions = []client.Extension{taskclient.Enable(&taskclient.Options{
		OnTask: func(_ context.Context, task *tasks.Task) { h.look("OnTask", reflect.ValueOf(task)) },
	})}
	c := mcptest.Connect(t, s, &mcptest.Options{Revision: revision, Client: opts, Identity: mcptest.As("ada"), AllowGoroutines: true}).Client
	ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) { h.look("WithProgress", reflect.ValueOf(p)) })
	ctx = client.WithStarted(ctx, func(id wire.ID) { h.look("WithStarted", reflect.ValueOf(id)) })

	h.call(c, "Revision")
	h.call(c, "HasExtension", "com.example/x")
	h.call(c, "HandleInput", ctx, &mcp.MethodCallTool, mcp.InputRequests{"roots": new(mcp.ListRootsRequest)})
	h.call(c, "Server")
	h.call(c, "Discover", ctx, new(mcp.RequestParams))
	for _, list := range []string{"Tools", "Prompts", "Resources", "ResourceTemplates"} {
		h.call(c, list, ctx)
		h.call(c, "List"+list, ctx, new(mcp.PaginatedRequestParams))
	}
	yes := true
	sub := h.call(c, "Subscribe", ctx, mcp.SubscriptionFilter{ToolsListChanged: &yes, PromptsListChanged: &yes, ResourcesListChanged: &yes, ResourceSubscriptions: []string{"test://watched-resource"}})[0]
	h.call(sub.Interface(), "ID")
	h.call(sub.Interface(), "Filter")
	if err := c.SetLevel(ctx, mcp.LoggingLevelDebug); err != nil {
		t.Error(err)
	}

	calls, manual := &mcp.ServerCalls{Caller: c}, client.WithManualInput(ctx)
	arguments := map[string]string{
		"test_structured_output": `{"city":"Oslo"}`, "test_wait": `{"ms":10}`, "test_sampling": `{"prompt":"Hello"}`, "test_elicitation": `{"message":"Who?"}`,
		"greet": `{"name":"Ada"}`, "slow_compute": `{"seconds":1,"label":"it"}`, "confirm_delete": `{"filename":"a.txt"}`,
	}
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		params := &mcp.CallToolRequestParams{Name: tool.Name, Arguments: wire.Raw(arguments[tool.Name])}
		h.call(c, "CallTool", ctx, params)
		h.call(calls, "CallToolResponse", manual, params)
		if task, err := taskclient.Start(ctx, c, params); err == nil {
			h.call(task, "Get", ctx)
			h.call(task, "Result", ctx)
			h.call(task, "Get", ctx)
		}
	}
	list, err := taskclient.List(ctx, c, new(mcp.PaginatedRequestParams))
	h.look("List", reflect.ValueOf(list), reflect.ValueOf(&err).Elem())
	for _, prompt := range []string{"test_simple_prompt", "test_prompt_with_image", "test_input_required_result_prompt"} {
		h.call(c, "GetPrompt", ctx, &mcp.GetPromptRequestParams{Name: prompt})
		h.call(calls, "GetPromptResponse", manual, &mcp.GetPromptRequestParams{Name: prompt})
	}
	for _, uri := range []string{"test://static-binary", "test://template/7/data", "test://input-required-resource", "test://absent"} {
		h.call(c, "ReadResource", ctx, &mcp.ReadResourceRequestParams{URI: uri})
		h.call(calls, "ReadResourceResponse", manual, &mcp.ReadResourceRequestParams{URI: uri})
	}
	h.call(c, "Complete", ctx, &mcp.CompleteRequestParams{
		Ref: &mcp.PromptReference{Name: "test_prompt_with_arguments"}, Argument: mcp.CompleteRequestParamsArgument{Name: "arg1", Value: "p"},
	})
	time.Sleep(time.Minute)
}
