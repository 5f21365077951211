// Package fresh asks for input with values that differ from one run of a handler to the next.
package fresh

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"time"

	"github.com/google/uuid"

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

// The sources of values.
func declared(ctx context.Context, c *server.Call) {
	var text = rand.Text()
	var none string
	var left, right = pair()
	c.Elicit(ctx, &server.Params{Message: text}) // want `rand.Text differs`
	c.Elicit(ctx, &server.Params{Message: none + left + right})
	var one, other = "1", rand.Text()
	c.Elicit(ctx, &server.Params{Message: one})
	c.Elicit(ctx, &server.Params{Message: other}) // want `rand.Text differs`
	var itself string
	itself += itself
	c.Elicit(ctx, &server.Params{Message: itself})
	left2, right2 := pair2(time.Now())
	c.Elicit(ctx, &server.Params{Message: left2 + right2})   // want `time.Now differs`
	c.Elicit(ctx, &server.Params{Message: uuid.NewString()}) // want `uuid.NewString differs`
	c.Elicit(ctx, &server.Params{Message: uuid.Parse("x")})
	c.Elicit(ctx, &server.Params{Message: time.Unix(1, 0).String()})
	seeded := mrand.New(mrand.NewPCG(1, 2))
	c.Elicit(ctx, &server.Params{Message: fmt.Sprint(seeded.IntN(5))})
	c.Elicit(ctx, &server.Params{Message: fmt.Sprint(mrand.IntN(5))}) // want `rand.IntN differs`
	c.Elicit(ctx, &server.Params{Message: called(func() string { return rand.Text() })})
	f := called
	c.Elicit(ctx, &server.Params{Message: f(nil) + errors.New("x").Error() + string([]byte{'x'}) + fmt.Sprint(len("x"))})
	c.Elicit(ctx, &server.Params{Message: errors.New(rand.Text()).Error()}) // want `rand.Text differs`
}

func pair() (a, b string) { return }

func pair2(time.Time) (a, b string) { return }

func called(f func() string) string { return "" }

// What asks, and what does not.
func asking(ctx context.Context, c *server.Call) {
	c.CreateMessage(ctx, &server.Params{Message: rand.Text()}) // want `rand.Text differs`
	c.Notify(ctx, &server.Params{Message: rand.Text()})
	ask.Note(ctx, c, rand.Text())
	ask.Confirm(three(c, rand.Text()))
	c.Elicit(two(ctx, rand.Text()))
	ask.Confirm(ctx, &Call{}, rand.Text())
	ask.Confirm(ctx, &struct{ *server.Call }{c}, rand.Text())
	ask.Confirm(ctx, &server.Asker{}, rand.Text())
	ask.Confirm(ctx, server.Asker{}, rand.Text())
	elicit := c.Elicit
	elicit(ctx, &server.Params{Message: rand.Text()})
	(&Call{}).Elicit(ctx, &server.Params{Message: rand.Text()})
}

// Call is another one.
type Call struct{}

func (*Call) Elicit(ctx context.Context, p *server.Params) (string, error) { return "", nil }

func three(c *server.Call, text string) (context.Context, ask.Elicitor, string) { return nil, c, text }

func two(ctx context.Context, text string) (context.Context, *server.Params) { return ctx, nil }
