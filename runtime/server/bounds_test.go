package server

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// What a session subscribes to is bounded in size, too.
func TestLongSubscriptions(t *testing.T) {
	watched := 0
	s := newServer(&Options{
		OnSubscribe:   func(context.Context, *Call, string) error { watched++; return nil },
		OnUnsubscribe: func(string) { watched-- },
	})
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "a"}, prefix("a:"), nothing))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	const size, most = 8000, maxSubscribed / 8000
	subscribe := func(n int) string { return fmt.Sprintf(`{"uri":"a:%06d%s"}`, n, strings.Repeat("x", size-8)) }
	for n := range most {
		c.Must("resources/subscribe", subscribe(n))
	}
	c.Fails("resources/subscribe", subscribe(most), codeInvalidParams)
	c.Must("resources/unsubscribe", subscribe(0))
	c.Must("resources/subscribe", subscribe(most))
	if watched != most {
		t.Errorf("%d are watched, want %d", watched, most)
	}
}

// A URI that is too long to be matched with templates is none of theirs; a resource may have one.
func TestLongURI(t *testing.T) {
	s := newServer(nil)
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "a"}, prefix("a:"), func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
		return TextResource("", ""), nil
	}))
	uri := "a:" + strings.Repeat("x", maxURI-2)
	c.Must("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
	c.Fails("resources/read", fmt.Sprintf(`{"uri":%q}`, uri+"x"), mcp.CodeResourceNotFound)
	add(t, s.AddResource(mcp.Resource{URI: uri + "x", Name: "long"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
		return TextResource("", ""), nil
	}))
	c.Must("resources/read", fmt.Sprintf(`{"uri":%q}`, uri+"x"))
}

func nothing(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
	return nil, nil
}

// A subscription keeps nothing of its request but the URI.
func TestSubscriptionKeepsNoRequest(t *testing.T) {
	s := newServer(&Options{Capabilities: mcp.ServerCapabilities{Resources: &mcp.ServerCapabilitiesResources{Subscribe: new(true)}}})
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "a"}, prefix("a:"), nothing))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	const n, size = 50, 256 << 10
	padding := strings.Repeat("x", size)
	before := heapInUse()
	for i := range n {
		c.Must("resources/subscribe", fmt.Sprintf(`{"uri":"a:%d","padding":%q}`, i, padding))
	}
	if grown := heapInUse() - before; grown > n*size/10 {
		t.Errorf("%d subscriptions keep %d bytes", n, grown)
	}
	runtime.KeepAlive(c)
}

// heapInUse returns how many bytes are in use.
func heapInUse() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// What a client says about itself is kept as long as the session, and so it is bounded.
func TestLongIntroduction(t *testing.T) {
	s := newServer(nil)
	for _, test := range []struct {
		length int
		ok     bool
	}{{maxIntroduction - 1000, true}, {maxIntroduction, false}} {
		c := strangerTo(t, s, mcp.V2025_11_25, `{}`)
		params := fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"1"}}`, strings.Repeat("n", test.length))
		if test.ok {
			c.Must("initialize", params)
		} else if err := c.Fails("initialize", params, codeInvalidParams); err != nil {
			equal(t, "the message", err.Message, "clientInfo and capabilities have 262171 bytes, want at most 262144")
		}
		c.session.Close()
	}
}

// A session that ends while it is being opened is not told of changes for ever.
func TestSessionThatEndsInInitialize(t *testing.T) {
	s := newServer(nil)
	c := strangerTo(t, s, mcp.V2025_11_25, `{}`)
	c.session.Close()
	c.Call("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	if left := len(s.subscriptions.all()); left != 0 {
		t.Errorf("%d targets are left", left)
	}
}

// What a client sends as the URI of a resource comes back as an excerpt, whatever it wants of the resource.
func TestLongURIsComeBackShort(t *testing.T) {
	s := newServer(&Options{OnSubscribe: func(context.Context, *Call, string) error { return nil }})
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	for _, method := range []string{"resources/read", "resources/subscribe"} {
		for _, uri := range []string{strings.Repeat("x", 1<<16), "x:" + strings.Repeat("y", 1<<16)} {
			_, err := c.Call(method, fmt.Sprintf(`{"uri":%q}`, uri))
			if rpc, ok := errors.AsType[*jsonrpc.Error](err); !ok || len(rpc.Message)+len(rpc.Data) > 1<<11 {
				t.Errorf("%s: got an error of %d bytes", method, len(fmt.Sprint(err))+len(rpc.Data))
			}
		}
	}
}
