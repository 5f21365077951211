package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func newWatch() *cobra.Command {
	var f consoleFlags
	var level string
	c := &cobra.Command{
		Use:   "watch [URI...]",
		Short: "Show the changes and log messages that a server reports",
		Long: `Watch shows changes of a server's lists and of the resources that are named, and
log messages of a level, until Ctrl-C or the end of the connection. With -timeout,
it fails unless it has begun to within that time.`,
		Example: `  mcpgen watch -url http://localhost:8080/mcp
  mcpgen watch -level info note://today -- go run ./cmd/server`,
	}
	f.add(c)
	c.Flags().StringVar(&level, "level", "", "show log messages of `LEVEL` and above, such as info (default those that the server sends)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if level != "" && !mcp.LoggingLevel(level).Valid() {
			return usageError(c, "flag -level cannot be %q: it is debug, info, notice, warning, error, critical, alert or emergency", level)
		}
		target, words, err := f.target(c, args)
		if err != nil {
			return err
		}
		w := watcher{out: printerTo(c.OutOrStdout()), json: f.json}
		return f.run(c, target, w.options(), func(s *session) error {
			if level != "" {
				if err := s.SetLevel(s.ctx, mcp.LoggingLevel(level)); err != nil {
					return err
				}
			}
			sub, err := s.Subscribe(s.ctx, s.everything(words))
			if err != nil {
				return err
			}
			if err := s.inTime(); err != nil {
				return err
			}
			fmt.Fprintln(s.stderr, "watching; Ctrl-C ends it")
			select {
			case <-s.ctx.Done():
				return nil
			case <-s.Done():
				return s.Err()
			case <-sub.Done():
				return sub.Err()
			}
		})
	}
	return c
}

// everything returns a filter with the given resources, and all lists for which the server sends notifications.
func (s *session) everything(resources []string) mcp.SubscriptionFilter {
	yes, offers := true, &s.Server.Server().Capabilities
	filter := mcp.SubscriptionFilter{ResourceSubscriptions: resources}
	if offers.Tools != nil && offers.Tools.GetListChanged() {
		filter.ToolsListChanged = &yes
	}
	if offers.Prompts != nil && offers.Prompts.GetListChanged() {
		filter.PromptsListChanged = &yes
	}
	if offers.Resources != nil && offers.Resources.GetListChanged() {
		filter.ResourcesListChanged = &yes
	}
	return filter
}

// A watcher shows notifications.
type watcher struct {
	out  *console.Printer
	json bool
}

func (w watcher) options() client.Options {
	changed := func(method, text string) func(context.Context, *mcp.NotificationParams) {
		return func(_ context.Context, p *mcp.NotificationParams) { w.show(method, p, text) }
	}
	return client.Options{
		OnToolsChanged:     changed("notifications/tools/list_changed", "the tools have changed"),
		OnPromptsChanged:   changed("notifications/prompts/list_changed", "the prompts have changed"),
		OnResourcesChanged: changed("notifications/resources/list_changed", "the resources have changed"),
		OnResourceUpdated: func(_ context.Context, p *mcp.ResourceUpdatedNotificationParams) {
			w.show("notifications/resources/updated", p, "updated: "+p.URI)
		},
		OnLog: func(_ context.Context, p *mcp.LoggingMessageNotificationParams) {
			text := string(p.Level)
			if p.Logger != "" {
				text += " " + p.Logger
			}
			w.show("notifications/message", p, text+": "+string(p.Data))
		},
	}
}

// show prints a notification, as a line for a person or as JSON.
func (w watcher) show(method string, params wire.Encodable, text string) {
	if !w.json {
		fmt.Fprintln(w.out, time.Now().Format(time.TimeOnly)+" "+text)
		return
	}
	raw, err := wire.Marshal(wire.Any, params)
	if err != nil {
		raw = []byte("null")
	}
	fmt.Fprintf(w.out, "{\"method\":%q,\"params\":%s}\n", method, raw)
}
