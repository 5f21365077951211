package nats_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/internal/limits/recordroom"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// Nobody can fill what an authorization server may keep. There is room for 38 clients, or 68 logins.
func TestRoomIsShared(t *testing.T) {
	conn := connect(t, startNATS(t))
	recordroom.Shared(t, 75, func(t *testing.T) http.Handler {
		s, err := as.New(&as.Options{
			Store:  join(t, conn, nats.Options{Prefix: prefixOf(t), RecordBytes: 16 << 10}).Store(),
			Issuer: recordroom.Issuer, Resources: []string{"https://mcp.example/mcp"}, Logger: slog.New(slog.DiscardHandler),
			Password: func(_ context.Context, name, _ string) (*as.User, error) {
				return &as.User{Subject: recordroom.Subject(name)}, nil
			},
			Clients:           []as.Client{{ID: recordroom.Client, RedirectURIs: []string{recordroom.Redirect}}},
			MaxAuthorizations: -1, MaxTokens: -1, MaxRegistrations: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
