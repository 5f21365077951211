package seams

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
)

// A Deadline is a store of tasks that deletes each some time after its end, however long its TTL. Its other methods are
// those of the store that it wraps.
type Deadline struct {
	taskserver.Store
	After time.Duration
}

// Update implements taskserver.Store.
func (d *Deadline) Update(ctx context.Context, r *taskserver.Record) error {
	err := d.Store.Update(ctx, r)
	if err == nil && tasks.Done(r.Task.Status) {
		principal, id := r.Principal, r.Task.ID
		time.AfterFunc(d.After, func() { d.Delete(context.WithoutCancel(ctx), principal, id) })
	}
	return err
}
