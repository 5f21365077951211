package tasks

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// progressMember is the member of a task that has its progress. The protocol has none, and no notifications of
// progress for tasks of the extension; clients that do not know the member ignore it.
const progressMember = "io.github.mcpgen/progress"

type progress struct {
	Done  float64 `json:"progress"`
	Total float64 `json:"total,omitempty"`
}

// Progress returns how much of the work is done, of so much in total, 0 if the total is not known. It reports false if
// the server does not say.
func (t *Task) Progress() (done, total float64, ok bool) {
	raw, ok := t.Extra.Get(progressMember)
	var p progress
	if !ok || json.Unmarshal(raw, &p) != nil {
		return 0, 0, false
	}
	return p.Done, p.Total, true
}

// SetProgress sets what [Task.Progress] returns.
func (t *Task) SetProgress(done, total float64) {
	raw, err := json.Marshal(progress{done, total})
	if err != nil {
		return // not a number
	}
	extra := make(wire.Extra, 0, len(t.Extra)+1)
	for _, m := range t.Extra {
		if m.Name != progressMember {
			extra = append(extra, m)
		}
	}
	t.Extra = append(extra, wire.Member[wire.Raw]{Name: progressMember, Value: raw})
}
