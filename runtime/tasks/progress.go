package tasks

import (
	"encoding/json"
	"slices"
)

// progressMember is the member of a task that has its progress. The protocol has no such member, nor notifications
// of progress for tasks of the extension; clients that do not know the member ignore it.
const progressMember = "io.github.mcpgen/progress"

// A Progress says how much of a task's work is done.
type Progress struct {
	Done    float64 `json:"progress"`
	Total   float64 `json:"total,omitempty"`   // 0 if it is not known
	Message string  `json:"message,omitempty"` // what is being done, for people; how the task ended is in its status message
}

// Progress returns the last report of progress. It reports false if there is none.
func (t *Task) Progress() (Progress, bool) {
	raw, ok := t.Extra.Get(progressMember)
	var p Progress
	if !ok || json.Unmarshal(raw, &p) != nil {
		return Progress{}, false
	}
	return p, true
}

// SetProgress sets the progress that [Task.Progress] returns.
func (t *Task) SetProgress(p Progress) {
	raw, err := json.Marshal(p)
	if err != nil {
		return // not a number
	}
	t.Extra = slices.Clone(t.Extra) // which copies of the task share
	t.Extra.Set(progressMember, raw)
}
