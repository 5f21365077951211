// Package fresh asks for input with values that differ from one run of a handler to the next.
package fresh

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
)

func literal(ctx context.Context, c *server.Call) {
	c.Elicit(ctx, &server.Params{URL: "https://x.example/" + rand.Text()}) // want `rand.Text differs from one run of the handler to the next, so since 2026-07-28 the response to this request is not found: identify the request by WithKey, or compute the value by server.OnceValue`
}

func variable(ctx context.Context, c *server.Call) {
	id, params := rand.Text(), &server.Params{}
	url := "https://x.example/" + id
	params = &server.Params{URL: url}
	c.Elicit(ctx, params)                   // assigned twice, so it is not known
	c.Elicit(ctx, &server.Params{URL: url}) // want `rand.Text differs`
}

func closure(ctx context.Context) func(*server.Call) {
	return func(c *server.Call) {
		ask.Form[struct{}](ctx, c, fmt.Sprint("It is ", time.Now())) // want `time.Now differs`
		ask.Confirm(ctx, c, rand.Text())                             // want `rand.Text differs`
	}
}

func right(ctx context.Context, c *server.Call, id string) {
	ctx, cancel := context.WithDeadline(ctx, time.Now().Add(time.Minute))
	defer cancel()
	c.Elicit(ctx, &server.Params{URL: "https://x.example/" + id})
	c.WithKey("time").Elicit(ctx, &server.Params{Message: time.Now().String()})
	ask.Form[struct{}](ctx, c.WithKey("ask"), time.Now().String())
	once, err := server.OnceValue(c, "id", func() (string, error) { return rand.Text(), nil })
	if err == nil {
		c.Elicit(ctx, &server.Params{URL: once})
	}
}
