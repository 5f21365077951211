// Package server has the names of the real one.
package server

import "context"

type Params struct{ Message, URL string }

type Call struct{}

type Asker struct{}

func (c *Call) Elicit(ctx context.Context, p *Params) (string, error) { return "", nil }

func (c *Call) CreateMessage(ctx context.Context, p *Params) (string, error) { return "", nil }

func (c *Call) Notify(ctx context.Context, p *Params) {}

func (c *Call) WithKey(key string) Asker { return Asker{} }

func (a Asker) Elicit(ctx context.Context, p *Params) (string, error) { return "", nil }

func OnceValue[T any](c *Call, key string, f func() (T, error)) (T, error) { return f() }
