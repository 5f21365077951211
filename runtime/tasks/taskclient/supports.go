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
	listed bool // all tools have been listed; what is not kept does not exist, unless
	lost   bool // some had to be forgotten for want of room
}

// learn remembers what a list of tools says.
func (s *supports) learn(tools []mcp.Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range tools {
		s.put(tools[i].Name, tools[i].Execution.GetTaskSupport())
	}
}

// put remembers a tool. It is called with mu held.
func (s *supports) put(tool string, support mcp.ToolExecutionTaskSupport) {
	s.kept.MaxItems, s.kept.MaxSize = maxTools, maxTools<<10
	s.kept.Delete(tool)
	before := s.kept.Len()
	s.kept.Put(strings.Clone(tool), support, len(tool)) // so that the text of the whole list is not kept
	s.lost = s.lost || s.kept.Len() <= before
}

// get returns what is known about a tool.
func (s *supports) get(tool string) (support mcp.ToolExecutionTaskSupport, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	support, known = s.kept.Get(tool)
	return support, known || s.listed && !s.lost
}

// complete says that all tools have been listed, and that tool is none of them.
func (s *supports) complete(tool string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = true
	s.put(tool, "")
}

// forget discards everything.
func (s *supports) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept, s.listed, s.lost = lru.Map[string, mcp.ToolExecutionTaskSupport]{}, false, false
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
	j.supports.complete(tool)
	return "", nil
}
