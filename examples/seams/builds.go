package seams

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// BuildsID is the name of the extension, and the first word of its topics; BuildMethod is its notification.
const (
	BuildsID    = "com.example/builds"
	BuildMethod = "notifications/com.example/build"
)

// A Build is the state of a build, the params of BuildMethod.
type Build struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

// Builds adds the extension to a server, for clients since 2026-07-28: the member "builds" of a subscription's filter
// lists the ids of builds, and the client is notified of what becomes of them.
func Builds(s *server.Server) error {
	return s.AddExtension(server.Extension{
		ID: BuildsID,
		Listen: func(_ context.Context, _ *server.Call, asked wire.Extra, to *server.Subscription) (granted wire.Extra, err error) {
			var ids, accepted []string
			raw, ok := asked.Get("builds")
			if !ok {
				return nil, nil
			}
			if err := json.Unmarshal(raw, &ids); err != nil {
				return nil, fmt.Errorf("builds: %w", err)
			}
			for _, id := range ids {
				if to.Add(BuildsID + " " + id) {
					accepted = append(accepted, id)
				}
			}
			text, err := json.Marshal(accepted)
			granted.Set("builds", text)
			return granted, err
		},
	})
}

// Tell notifies the clients that subscribe to a build. It is the last time if done is true.
func Tell(s *server.Server, b Build, done bool) error {
	params, err := json.Marshal(b)
	if err == nil {
		s.Publish(BuildsID+" "+b.ID, server.Notification{Method: BuildMethod, Params: wire.Raw(params), Last: done})
	}
	return err
}
