package client

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
)

// REQ LOG-02 LOG-03 LOG-04 META-12 PING-01
func TestSetLevel(t *testing.T) {
	t.Parallel()
	server := script{"logging/setLevel": always(`{}`), "tools/list": always(`{"tools":[]}`), "ping": always(`{}`)}
	both(t, server, func(t *testing.T, server script, opts Options) {
		var logged []string
		opts.Methods = []Method{handleNotification(mcp.MethodLoggingMessageNotification.Name, func(_ context.Context, p *mcp.LoggingMessageNotificationParams) {
			logged = append(logged, string(p.Level)+" "+p.Logger+" "+string(p.Data))
		})}
		c, f := dial(t, server, &opts)
		ctx := t.Context()
		if err := c.SetLevel(ctx, "loud"); err == nil {
			t.Error("a level that does not exist is no error")
		}
		errs := errors.Join(c.SetLevel(ctx, mcp.LoggingLevelWarning), listTools(ctx, c, f))
		var want []string
		if c.modern() {
			errs = errors.Join(errs, c.SetLevel(ctx, ""), listTools(ctx, c, f))
			meta := modernMeta[:len(modernMeta)-1]
			want = []string{
				`tools/list {"_meta":` + meta + `,"io.modelcontextprotocol/logLevel":"warning"}}`,
				`tools/list {"_meta":` + modernMeta + `}`,
			}
		} else {
			errs = errors.Join(errs, c.Ping(ctx))
			want = []string{`logging/setLevel {"level":"warning"}`, `tools/list`, `ping`}
			if err := c.SetLevel(ctx, ""); err == nil {
				t.Error("the empty level is no error through 2025-11-25")
			}
		}
		if got := f.sent(); errs != nil || !slices.Equal(got, want) {
			t.Errorf("%v\nsent %q\nwant %q", errs, got, want)
		}
		f.notice("notifications/message", `{"level":"error","logger":"l","data":{"a":1}}`)
		if !slices.Equal(logged, []string{`error l {"a":1}`}) {
			t.Errorf("logged %q", logged)
		}
	})
}
