package dev

import (
	"context"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/server"
	task "github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A watcher is the subscription of a client to tasks of the child, since 2026-07-28. The endpoint itself serves whatever else
// the same request subscribes to.
type watcher struct {
	call *server.Call

	mu   sync.Mutex
	ids  []string                                                        // of tasks: first those that the client wants, later those that it may have
	send func(ctx context.Context, method string, params wire.Raw) error // nil until the request is acknowledged
	last map[string]*task.Task                                           // what was sent, or will be once send is there
}

// listen handles subscriptions/listen.
func (e *Endpoint) listen(ctx context.Context, c *server.Call, next server.Handler) (wire.Encodable, error) {
	var params mcp.SubscriptionsListenRequestParams
	var named tasks.TaskSubscriptionNotifications
	if wire.Decode(c.Params(), &params) != nil || wire.DecodeExtra(params.Notifications.Extra, &named) != nil || named.TaskIDs == nil {
		return next(ctx, c)
	}
	child, err := e.child(ctx)
	if err != nil {
		return nil, err
	}
	if _, has := child.client.Server().Capabilities.Extensions[tasks.Extension]; !has || !child.modern() {
		return next(ctx, c)
	}
	if _, able := c.Capabilities().Extensions[tasks.Extension]; !able {
		return nil, &server.MissingCapabilityError{Required: mcp.ClientCapabilities{Extensions: map[string]wire.Raw{tasks.Extension: wire.Raw("{}")}}}
	}
	w := &watcher{call: c, ids: named.TaskIDs, last: map[string]*task.Task{}}
	child.mu.Lock()
	child.watchers[c] = w // changes may come before the response
	child.mu.Unlock()
	defer func() {
		child.mu.Lock()
		defer child.mu.Unlock()
		delete(child.watchers, c)
	}()
	sub, err := child.client.Subscribe(ctx, mcp.SubscriptionFilter{Extra: params.Notifications.Extra})
	if err != nil {
		return nil, child.explain(err)
	}
	defer sub.Close()
	var granted tasks.TaskSubscriptionAcknowledgedNotifications
	if err := wire.DecodeExtra(sub.Filter().Extra, &granted); err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.ids = granted.TaskIDs
	w.mu.Unlock()
	return next(context.WithValue(ctx, watcherKey{}, w), c)
}

type watcherKey struct{}

// acknowledge is the middleware that adds the tasks to the acknowledgement of a subscription to some. From then on their
// changes are sent.
func (e *Endpoint) acknowledge(next transport.MessageFunc) transport.MessageFunc {
	return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
		w, _ := ctx.Value(watcherKey{}).(*watcher)
		if w == nil || m.Method != mcp.MethodSubscriptionsAcknowledgedNotification.Name {
			return next(ctx, m)
		}
		var params mcp.SubscriptionsAcknowledgedNotificationParams
		err := wire.Decode(m.Params, &params)
		if err == nil {
			params.Notifications.Extra, err = wire.ExtraOf(w.call.Revision(), &tasks.TaskSubscriptionAcknowledgedNotifications{TaskIDs: w.tasks()})
		}
		if err == nil {
			m.Params, err = wire.Marshal(w.call.Revision(), &params)
		}
		if err != nil {
			return nil, err
		}
		if _, err := next(ctx, m); err != nil {
			return nil, err
		}
		return nil, w.open(ctx, func(ctx context.Context, method string, params wire.Raw) error {
			also := *m
			also.Method, also.Params = method, params
			_, err := next(ctx, &also)
			return err
		})
	}
}

// open sends the changes so far, and lets later ones be sent.
func (w *watcher) open(ctx context.Context, send func(context.Context, string, wire.Raw) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.send = send
	for _, id := range w.ids {
		if t := w.last[id]; t != nil {
			if err := w.notify(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// tasks returns the ids of the tasks that the client may subscribe to.
func (w *watcher) tasks() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string{}, w.ids...)
}

// changed notifies the client of a task, if the client subscribed to it. The child sends a change once for each subscription,
// so the same change is sent on only once.
func (w *watcher) changed(ctx context.Context, t *task.Task) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := w.last[t.ID]; !slices.Contains(w.ids, t.ID) ||
		last != nil && last.Status == t.Status && last.StatusMessage == t.StatusMessage && last.UpdatedAt.Equal(t.UpdatedAt) {
		return nil
	}
	w.last[t.ID] = t
	if w.send == nil {
		return nil
	}
	return w.notify(ctx, t)
}

// notify notifies the client of a task. It is called with mu held.
func (w *watcher) notify(ctx context.Context, t *task.Task) error {
	params, err := wire.Marshal(w.call.Revision(), t.Changed(&mcp.NotificationMetaObject{SubscriptionID: w.call.ID()}))
	if err != nil {
		return err
	}
	return w.send(ctx, tasks.MethodTaskStatusNotification.Name, params)
}

// taskChanged notifies the clients that subscribed to a task.
func (ch *Child) taskChanged(ctx context.Context, e *Endpoint, t *task.Task) {
	ctx, cancel := context.WithTimeout(ctx, passTime)
	defer cancel()
	ch.mu.Lock()
	all := make([]*watcher, 0, len(ch.watchers))
	for _, w := range ch.watchers {
		all = append(all, w)
	}
	ch.mu.Unlock()
	for _, w := range all {
		if err := w.changed(ctx, t); err != nil {
			e.logger.Debug("cannot notify a client of a task", "error", err)
		}
	}
}
