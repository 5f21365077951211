package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"

	mcpgomcp "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	gosdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/bench/peers/floor"
	"github.com/mcpgen/mcpgen/bench/peers/gosdk"
	"github.com/mcpgen/mcpgen/bench/peers/mcpgen"
	"github.com/mcpgen/mcpgen/bench/peers/mcpgo"
	"github.com/mcpgen/mcpgen/bench/published/shop"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// The environment of a child says where the API and Redis are.
const (
	envAPI   = "MCPGEN_BENCH_API"
	envRedis = "MCPGEN_BENCH_REDIS"
)

// A shopPeer serves the tools of package shop over HTTP.
type shopPeer struct {
	harness.ServerOnly
	name   string
	handle func(*shop.Shop, harness.HTTPMode) (http.Handler, error)
}

func (p shopPeer) Name() string { return p.name }

func (p shopPeer) NewServer(harness.ServerConfig) (harness.Server, error) {
	return shopServer{shop.New(os.Getenv(envAPI), os.Getenv(envRedis)), p.handle}, nil
}

type shopServer struct {
	shop   *shop.Shop
	handle func(*shop.Shop, harness.HTTPMode) (http.Handler, error)
}

func (s shopServer) ServeStream(context.Context, io.ReadCloser, io.WriteCloser) error {
	return harness.ErrUnsupported
}

func (s shopServer) HTTPHandler(mode harness.HTTPMode) (http.Handler, error) {
	return s.handle(s.shop, mode)
}

// The servers, each with the tools of package shop and with the echo tool of the bench, in the order of the tables.
const names = 4

var (
	shopPeers = [names]harness.Peer{
		shopPeer{name: "floor", handle: serveFloor},
		shopPeer{name: "mcpgen", handle: serveMcpgen},
		shopPeer{name: "mcpgo", handle: serveMcpgo},
		shopPeer{name: "gosdk", handle: serveGosdk},
	}
	echoPeers = [names]harness.Peer{
		floor.Peer{Label: "echo-floor", Scan: true},
		mcpgen.Peer{Label: "echo-mcpgen"},
		mcpgo.Peer{Label: "echo-mcpgo"},
		gosdk.Peer{Label: "echo-gosdk"},
	}
)

var quiet = slog.New(slog.DiscardHandler)

func serveMcpgen(t *shop.Shop, mode harness.HTTPMode) (http.Handler, error) {
	s, err := newMcpgen(t)
	return streamable.NewHandler(s, &streamable.Options{Stateless: mode == harness.Stateless, Logger: quiet}), err
}

func newMcpgen(t *shop.Shop) (*server.Server, error) {
	s := server.New(mcp.Implementation{Name: "shop", Version: "1.0.0"}, &server.Options{Logger: quiet})
	return s, shop.RegisterShop(s, t)
}

const (
	aboutSearch   = "Searches products by category and price, and says which are popular."
	aboutCart     = "Returns the cart of a user, with recent orders."
	aboutCheckout = "Computes what a purchase costs, and records it."
)

// serveGosdk has JSON responses, as the published server has.
func serveGosdk(t *shop.Shop, mode harness.HTTPMode) (http.Handler, error) {
	s := gosdkmcp.NewServer(&gosdkmcp.Implementation{Name: "shop", Version: "1.0.0"}, nil)
	addGosdk(s, "search_products", aboutSearch, t.SearchProducts)
	addGosdk(s, "get_user_cart", aboutCart, t.GetUserCart)
	addGosdk(s, "checkout", aboutCheckout, t.Checkout)
	return gosdkmcp.NewStreamableHTTPHandler(func(*http.Request) *gosdkmcp.Server { return s },
		&gosdkmcp.StreamableHTTPOptions{Stateless: mode == harness.Stateless, JSONResponse: true}), nil
}

func addGosdk[In, Out any](s *gosdkmcp.Server, name, about string, tool func(context.Context, In) (Out, error)) {
	gosdkmcp.AddTool(s, &gosdkmcp.Tool{Name: name, Description: about},
		func(ctx context.Context, _ *gosdkmcp.CallToolRequest, in In) (*gosdkmcp.CallToolResult, Out, error) {
			out, err := tool(ctx, in)
			return nil, out, err
		})
}

func serveMcpgo(t *shop.Shop, mode harness.HTTPMode) (http.Handler, error) {
	s := mcpgoserver.NewMCPServer("shop", "1.0.0", mcpgoserver.WithToolCapabilities(true), mcpgoserver.WithLogger(quiet))
	addMcpgo(s, "search_products", aboutSearch, t.SearchProducts)
	addMcpgo(s, "get_user_cart", aboutCart, t.GetUserCart)
	addMcpgo(s, "checkout", aboutCheckout, t.Checkout)
	if mode == harness.Stateless {
		return mcpgoserver.NewStreamableHTTPServer(s, mcpgoserver.WithStateLess(true)), nil
	}
	return mcpgoserver.NewStreamableHTTPServer(s, mcpgoserver.WithStateful(true)), nil
}

func addMcpgo[In, Out any](s *mcpgoserver.MCPServer, name, about string, tool func(context.Context, In) (*Out, error)) {
	s.AddTool(mcpgomcp.NewTool(name, mcpgomcp.WithDescription(about), mcpgomcp.WithInputSchema[In](), mcpgomcp.WithOutputSchema[Out]()),
		mcpgomcp.NewStructuredToolHandler(func(ctx context.Context, _ mcpgomcp.CallToolRequest, in In) (*Out, error) {
			return tool(ctx, in)
		}))
}

// serveFloor serves the same requests without an implementation of MCP: it decodes what it needs by encoding/json, checks
// nothing, and keeps no sessions, although it names one if it is not stateless.
func serveFloor(t *shop.Shop, mode harness.HTTPMode) (http.Handler, error) {
	list, err := toolList(t)
	if err != nil {
		return nil, err
	}
	tools := map[string]func(context.Context, []byte) ([]byte, error){
		"search_products": floorTool(t.SearchProducts),
		"get_user_cart":   floorTool(t.GetUserCart),
		"checkout":        floorTool(t.Checkout),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &m)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := []byte(floorInitialized)
		switch m.Method {
		case "initialize":
			if mode == harness.Stateful {
				w.Header().Set("Mcp-Session-Id", "00000000-0000-0000-0000-000000000000")
			}
		case "tools/list":
			result = list
		default:
			if result, err = tools[m.Params.Name](r.Context(), m.Params.Arguments); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		response := make([]byte, 0, len(result)+64)
		response = append(append(response, `{"jsonrpc":"2.0","id":`...), m.ID...)
		response = append(append(append(response, `,"result":`...), result...), '}')
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(response)))
		_, _ = w.Write(response)
	}), nil
}

const floorInitialized = `{"protocolVersion":"` + revision + `","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1.0.0"}}`

func floorTool[In, Out any](tool func(context.Context, In) (Out, error)) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, arguments []byte) ([]byte, error) {
		var in In
		if err := json.Unmarshal(arguments, &in); err != nil {
			return nil, err
		}
		out, err := tool(ctx, in)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		quoted, err := json.Marshal(string(text))
		if err != nil {
			return nil, err
		}
		return append(append([]byte(`{"content":[{"type":"text","text":`), quoted...), `}]}`...), nil
	}
}

// toolList returns the result of tools/list that mcpgen has for the tools.
func toolList(t *shop.Shop) ([]byte, error) {
	s, err := newMcpgen(t)
	if err != nil {
		return nil, err
	}
	type tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	var list struct {
		Tools []tool `json:"tools"`
	}
	for i := range s.Items() {
		if d, ok := i.Definition.(*mcp.Tool); ok {
			list.Tools = append(list.Tools, tool{d.Name, d.Description, json.RawMessage(d.InputSchema)})
		}
	}
	if len(list.Tools) != 3 {
		return nil, fmt.Errorf("%d tools", len(list.Tools))
	}
	return json.Marshal(list)
}

// inMode names a server that is run in both modes.
func inMode(name string, mode harness.HTTPMode) string {
	return name + cmp.Or(map[harness.HTTPMode]string{harness.Stateless: ", stateless"}[mode], ", sessions")
}
