// Package ask has the names of the real one.
package ask

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/server"
)

type Elicitor interface {
	Elicit(ctx context.Context, p *server.Params) (string, error)
}

func Form[T any](ctx context.Context, by Elicitor, message string) (v T, err error) { return v, nil }

func Confirm(ctx context.Context, by Elicitor, message string) error { return nil }

func Note(ctx context.Context, by Elicitor, message string) {}
