package server_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
)

// A watcher watches what clients subscribe to.
type watcher struct {
	mu    sync.Mutex
	count map[string]int // of the subscriptions to each URI
	start func(uri string)
	stop  func(uri string)
}

func (w *watcher) subscribe(_ context.Context, _ *server.Call, uri string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count[uri]++; w.count[uri] == 1 {
		w.start(uri)
	}
	return nil
}

func (w *watcher) unsubscribe(uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count[uri]--; w.count[uri] == 0 {
		delete(w.count, uri)
		w.stop(uri)
	}
}

// Two clients subscribe to one resource, which is watched until neither does.
func ExampleServer_ResourceUpdated() {
	const uri = "notes://today"
	stopped := make(chan struct{})
	w := &watcher{
		count: make(map[string]int),
		start: func(uri string) { fmt.Println("watching", uri) },
		stop:  func(uri string) { fmt.Println("no longer watching", uri); close(stopped) },
	}
	s := server.New(mcp.Implementation{Name: "notes", Version: "1.0.0"}, &server.Options{
		OnSubscribe:   w.subscribe,
		OnUnsubscribe: w.unsubscribe,
	})
	err := s.AddResource(mcp.Resource{URI: uri, Name: "today"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("text/plain", "Milk"), nil
	})
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	updated := make(chan string, 2)
	var subscriptions []*client.Subscription
	for range 2 {
		near, far := inmem.Pair(0)
		go s.Serve(ctx, far)
		c, err := client.Connect(ctx, near, &client.Options{
			OnChange: func(_ context.Context, change client.Change) { updated <- change.URI },
		})
		if err != nil {
			log.Fatal(err)
		}
		defer c.Close()
		sub, err := c.Subscribe(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
		if err != nil {
			log.Fatal(err)
		}
		subscriptions = append(subscriptions, sub)
	}
	s.ResourceUpdated(uri)
	fmt.Println("updated", <-updated)
	fmt.Println("updated", <-updated)
	for _, sub := range subscriptions {
		sub.Close()
	}
	<-stopped
	// Output:
	// watching notes://today
	// updated notes://today
	// updated notes://today
	// no longer watching notes://today
}
