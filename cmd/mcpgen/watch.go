package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newWatch returns mcpgen watch. The flag -timeout limits only what comes before it watches: connecting, setting the
// level and subscribing.
func newWatch() *cobra.Command {
	var f consoleFlags
	var level string
	c := &cobra.Command{
		Use:   "watch [URI...]",
		Short: "Show the changes and log messages that a server reports",
		Long: `Watch shows changes of a server's lists and of the resources that are named, and
log messages of -level and above, until Ctrl-C or the end of the connection. With
-timeout, it fails unless it has begun to watch within that time.`,
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
	if offers.Tools.GetListChanged() {
		filter.ToolsListChanged = &yes
	}
	if offers.Prompts.GetListChanged() {
		filter.PromptsListChanged = &yes
	}
	if offers.Resources.GetListChanged() {
		filter.ResourcesListChanged = &yes
	}
	return filter
}

// A watcher shows notifications.
type watcher struct {
	out  *console.Printer
	json bool
}

// options returns the options of a client that shows the notifications about changes, and log messages.
func (w watcher) options() client.Options {
	shows := func(m *wire.Method, text func(params wire.Raw) string) client.Method {
		return methods.Notification(m.Name, func(_ context.Context, params wire.Raw) { w.show(m.Name, params, text(params)) })
	}
	always := func(text string) func(wire.Raw) string { return func(wire.Raw) string { return text } }
	return client.Options{Methods: []client.Method{
		shows(&mcp.MethodToolListChangedNotification, always("the tools have changed")),
		shows(&mcp.MethodPromptListChangedNotification, always("the prompts have changed")),
		shows(&mcp.MethodResourceListChangedNotification, always("the resources have changed")),
		shows(&mcp.MethodResourceUpdatedNotification, func(params wire.Raw) string { return "updated: " + params.StringAt("uri") }),
		shows(&mcp.MethodLoggingMessageNotification, logText),
	}}
}

// logText returns the text of a log message, whose params are valid.
func logText(params wire.Raw) string {
	p := new(mcp.LoggingMessageNotificationParams)
	if err := wire.Decode(params, p); err != nil {
		return err.Error()
	}
	text := string(p.Level)
	if p.Logger != "" {
		text += " " + p.Logger
	}
	return text + ": " + string(p.Data)
}

// show prints a notification, as a line for a person or as JSON.
func (w watcher) show(method string, params wire.Raw, text string) {
	if w.json {
		fmt.Fprintf(w.out, "{\"method\":%q,\"params\":%s}\n", method, params)
		return
	}
	fmt.Fprintln(w.out, time.Now().Format(time.TimeOnly)+" "+text)
}
