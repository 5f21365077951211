package features

import (
	"context"
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/server"
)

func (e *everything) addCompletion() error {
	return errors.Join(
		e.CompletePrompt(argumentsPrompt, "arg1", completeFrom("paris", "park", "party", "peace")),
		e.CompletePrompt(argumentsPrompt, "arg2", func(_ context.Context, _ *server.Call, value string, settled map[string]string) ([]string, error) {
			first := settled["arg1"]
			if first == "" {
				return nil, nil
			}
			return startingWith(value, first+"-1", first+"-2"), nil
		}),
		e.CompleteTemplate(templateURI, "id", completeFrom("1", "12", "123", "2")),
	)
}

// completeFrom suggests those of the words that begin with what has been typed.
func completeFrom(words ...string) server.Completer {
	return func(_ context.Context, _ *server.Call, value string, _ map[string]string) ([]string, error) {
		return startingWith(value, words...), nil
	}
}

func startingWith(prefix string, words ...string) []string {
	var found []string
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			found = append(found, w)
		}
	}
	return found
}
