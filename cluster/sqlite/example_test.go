package sqlite_test

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/sqlite"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// Sessions continue after a restart of this program.
func Example() {
	run := func(ctx context.Context, s *server.Server) (err error) {
		db, err := sqlite.Open("sessions.db", nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		member, err := store.Join(ctx, db, nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, member.Leave(context.WithoutCancel(ctx))) }()
		return streamable.ListenAndServe(ctx, "127.0.0.1:8080", s, shared.NewSessions(member, db, nil).Options(nil))
	}
	_ = run
}
