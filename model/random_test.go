package model_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/internal/randrevision"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

var revisionSeed = flag.Uint64("revision.seed", 1, "of the first revision that is made at random; 0 is another one each time")

// TestRandomRevision merges revisions that are made at random, and generates their code. A type of another name is an
// error until the table of exceptions knows it.
func TestRandomRevision(t *testing.T) {
	newest := schema.Revisions()[len(schema.Revisions())-1].Name
	src, err := schema.Source(newest)
	if err != nil {
		t.Fatal(err)
	}
	date, err := time.Parse(time.DateOnly, newest)
	if err != nil {
		t.Fatal(err)
	}
	name := date.AddDate(0, 6, 0).Format(time.DateOnly)
	seed := *revisionSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	n := uint64(4)
	if testenv.Full() {
		n = 16
	}
	for i := range n {
		t.Run(fmt.Sprint("revision.seed ", seed+i), func(t *testing.T) {
			official := randrevision.Make(string(src), seed+i)
			from, to := official.Rename()
			f, err := parser.Parse("later.ts", []byte(official.Text))
			if err != nil {
				t.Fatal(err)
			}
			lowered := func() (all []*model.Schema) {
				for _, r := range schema.Revisions() {
					s, err := protocol.Lowered(r.Name)
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, s)
				}
				later, err := model.Lower(name, f)
				if err != nil {
					t.Fatal(err)
				}
				return append(all, later)
			}
			if _, err := model.Merge(lowered()...); err == nil || !strings.Contains(err.Error(), from) || !strings.Contains(err.Error(), to) {
				t.Errorf("%s is called %s: got %v, want an error with both names", from, to, err)
			}
			merged, err := model.MergeRenamed(name, from, to, lowered()...)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := bindings.Generate(merged, bindings.Options{Package: "mcp"}); err != nil {
				t.Error(err)
			}
		})
	}
}
