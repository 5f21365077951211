package contract

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/internal/witness"
)

// TestContained has, for all pairs of the schemas of each group in testdata/contained.txt, whether the oracle knows that the
// values of one are values of the other: below a schema are the numbers of those that it is known to be in. No value may
// contradict it.
func TestContained(t *testing.T) {
	const path = "testdata/contained.txt"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for i, group := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		if i > 0 {
			got.WriteByte('\n')
		}
		var texts []string
		for line := range strings.Lines(group) {
			switch line = strings.TrimSpace(line); {
			case strings.HasPrefix(line, "#"):
				got.WriteString(line + "\n")
			case !strings.HasPrefix(line, "in"):
				_, schema, _ := strings.Cut(line, " ")
				texts = append(texts, schema)
			}
		}
		schemas := make([]*witness.Schema, len(texts))
		for n, text := range texts {
			schemas[n] = compile(t, text)
		}
		for n, small := range texts {
			fmt.Fprintf(&got, "%d %s\n", n, small)
			var in []string
			for k, large := range texts {
				a, b := reduced(small), reduced(large)
				if k == n {
					continue
				}
				if !newOracle(a, b).contained([]any{a}, b) {
					for _, left := range []int{1, 3, 7, 15, 30, 60} {
						if hurried(a, b, left, 0).contained([]any{a}, b) || hurried(a, b, baseSteps, maxCompared-left/2).contained([]any{a}, b) {
							t.Errorf("with less than it takes to find out, %s is in %s", small, large)
						}
					}
					continue
				}
				in = append(in, fmt.Sprint(k))
				if value := witness.Find(rand.New(rand.NewPCG(1, 2)), schemas[n], schemas[k], 20); value != "" {
					t.Errorf("%s is valid against %s and not against %s", value, small, large)
				}
			}
			if in != nil {
				got.WriteString("  in " + strings.Join(in, " ") + "\n")
			}
		}
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(data), got.String()); diff != "" {
		t.Errorf("-want +got (run with -update to accept):\n%s", diff)
	}
}

// hurried returns an oracle that has few steps left, or is deep already.
func hurried(small, large *object, left, depth int) *oracle {
	o := newOracle(small, large)
	o.left, o.depth = min(o.left, left), depth
	return o
}
