package nats_test

import (
	"context"
	"errors"
	"net/http"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	natsio "github.com/nats-io/nats.go"
)

// Any process that runs this serves any session, and any task.
func Example() {
	run := func(ctx context.Context, url string) error {
		conn, err := natsio.Connect(url, natsio.MaxReconnects(-1))
		if err != nil {
			return err
		}
		defer conn.Close()
		c, err := nats.New(ctx, conn, &nats.Options{Prefix: "shop", Replicas: 1})
		if err != nil {
			return err
		}
		s := server.New(mcp.Implementation{Name: "shop", Version: "1.0.0"}, &server.Options{
			Setup: []server.Setup{taskserver.Enable(&taskserver.Options{Store: shared.NewTasks(c.Member())})},
		})
		h := streamable.NewHandler(s, c.Options(nil))
		http.Handle("/mcp", c.Handler(h))

		<-ctx.Done() // while an http.Server serves
		ctx = context.WithoutCancel(ctx)
		err = h.Shutdown(ctx)
		err = errors.Join(err, s.Shutdown(ctx))
		return errors.Join(err, c.Leave(ctx))
	}
	_ = run
}
