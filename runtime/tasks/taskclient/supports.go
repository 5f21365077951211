package taskclient

import (
	"context"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/lru"
)

// maxTools is of how many tools it is remembered whether they support tasks. Those that were used least recently are
// forgotten first.
const maxTools = 10_000

// supports is what a client knows about tools, by name: whether calls may become tasks, through 2025-11-25.
type supports struct {
	mu     sync.Mutex
	kept   lru.Map[string, mcp.ToolExecutionTaskSupport]
	listed bool // all tools have been listed; the others do not exist
}

// learn remembers what a list of tools says.
func (s *supports) learn(tools []mcp.Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.MaxItems, s.kept.MaxSize = maxTools, maxTools<<10
	for i := range tools {
		name := strings.Clone(tools[i].Name) // so that the text of the whole list is not kept
		s.kept.Put(name, tools[i].Execution.GetTaskSupport(), len(name))
	}
}

// get returns what is known about a tool.
func (s *supports) get(tool string) (support mcp.ToolExecutionTaskSupport, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	support, known = s.kept.Get(tool)
	return support, known || s.listed
}

// complete says that all tools have been listed.
func (s *supports) complete() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = true
}

// forget discards everything.
func (s *supports) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept, s.listed = lru.Map[string, mcp.ToolExecutionTaskSupport]{}, false
}

// support returns how a tool supports tasks. If that is not known, it lists the tools.
func (j *joined) support(ctx context.Context, tool string) (mcp.ToolExecutionTaskSupport, error) {
	if support, known := j.supports.get(tool); known {
		return support, nil
	}
	for t, err := range j.client.Tools(ctx) {
		if err != nil {
			return "", err
		}
		if t.Name == tool {
			return t.Execution.GetTaskSupport(), nil
		}
	}
	j.supports.complete()
	return "", nil
}
