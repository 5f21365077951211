package golden_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/golden/internal/instance"
	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/schema"
)

// instances is how many random values of each type, at each revision, go through each package.
const instances = 60

// Every type of every package: what is valid at a revision is decoded, encoded as that revision
// has it without loss, and from then on does not change by a byte.
//
// REQ EXT-05, TOOL-06, TOOL-07
func TestRoundTripAtRevision(t *testing.T) {
	eachPackage(t, func(t *testing.T, s *model.Schema, types map[string]func() wire.Value) {
		for _, rev := range s.Revisions {
			r, err := wire.ParseRevision(rev)
			if err != nil {
				t.Fatal(err)
			}
			for name, make := range types {
				src := source(s, name)
				src.Revision = rev
				for range instances {
					in, ok := src.Of(s.Type(name))
					if !ok {
						break
					}
					roundTrip(t, name, r, make, in)
				}
			}
		}
	})
}

// A proxy encodes at wire.Any: members of all revisions together, members that no revision has
// and arms that no revision has all come out as they went in.
//
// REQ JRPC-09
func TestRoundTripAtAny(t *testing.T) {
	eachPackage(t, func(t *testing.T, s *model.Schema, types map[string]func() wire.Value) {
		for name, make := range types {
			src := source(s, name)
			src.Unknown = true
			for range instances {
				in, _ := src.Of(s.Type(name))
				roundTrip(t, name, wire.Any, make, in)
			}
		}
	})
}

func eachPackage(t *testing.T, f func(*testing.T, *model.Schema, map[string]func() wire.Value)) {
	merged, err := protocol.Merged()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]*model.Schema{"mcp": merged}
	for _, rev := range merged.Revisions {
		if packages["mcp"+strings.ReplaceAll(rev, "-", "")], err = protocol.Merged(rev); err != nil {
			t.Fatal(err)
		}
	}
	least := map[string]int{} // types; of a revision 50
	for _, x := range schema.Extensions() {
		if packages["mcp/"+x.Name], err = protocol.Extension(x); err != nil {
			t.Fatal(err)
		}
		least["mcp/"+x.Name] = 10
	}
	if packages["mcp/skills"], err = protocol.Skills(os.DirFS("..")); err != nil {
		t.Fatal(err)
	}
	least["mcp/skills"] = 9
	if len(registry) != len(packages) {
		t.Fatalf("%d packages in the registry, want %d", len(registry), len(packages))
	}
	for name, s := range packages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(registry[name]) < cmp.Or(least[name], 50) {
				t.Fatalf("only %d types", len(registry[name]))
			}
			f(t, s, registry[name])
		})
	}
}

func source(s *model.Schema, name string) *instance.Source {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &instance.Source{Schema: s, Rand: rand.New(rand.NewPCG(h.Sum64(), 1))}
}

func roundTrip(t *testing.T, name string, rev wire.Revision, make func() wire.Value, in []byte) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s at %v: %s\nin: %s", name, rev, fmt.Sprintf(format, args...), in)
	}
	v := make()
	if err := wire.Decode(in, v); err != nil {
		fail("decode: %v", err)
		return
	}
	out, err := wire.Marshal(rev, v)
	if err != nil {
		fail("encode: %v", err)
		return
	}
	if diff := jsonDiff("", parse(t, in), parse(t, out)); diff != "" {
		fail("%s\nout: %s", diff, out)
		return
	}
	if bytes.ContainsAny(out, "\r\n") {
		fail("a line break in %q", out)
	}
	again := make()
	if err := wire.DecodeAlias(out, again); err != nil {
		fail("decode again: %v\nout: %s", err, out)
		return
	}
	if out2, err := wire.Marshal(rev, again); err != nil || !bytes.Equal(out, out2) {
		fail("encoded again: %v\n%s\n%s", err, out, out2)
	}
}

func parse(t *testing.T, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

// jsonDiff names the first place where two values differ; numbers may be written differently.
func jsonDiff(path string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return path + ": no object any more"
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok {
				return path + "." + k + " is lost"
			}
			if d := jsonDiff(path+"."+k, v, w); d != "" {
				return d
			}
		}
		for k := range b {
			if _, ok := a[k]; !ok {
				return path + "." + k + " is new"
			}
		}
		return ""
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return path + ": another array"
		}
		for i := range a {
			if d := jsonDiff(path+"["+strconv.Itoa(i)+"]", a[i], b[i]); d != "" {
				return d
			}
		}
		return ""
	case json.Number:
		if b, ok := b.(json.Number); ok {
			x, err1 := a.Float64()
			y, err2 := b.Float64()
			if a == b || err1 == nil && err2 == nil && x == y && !isInteger(a) {
				return ""
			}
		}
	}
	if a != b {
		return fmt.Sprintf("%s: %v became %v", path, a, b)
	}
	return ""
}

// isInteger reports whether a number is written as one that an integer member keeps exactly.
func isInteger(n json.Number) bool {
	_, err := strconv.ParseInt(string(n), 10, 64)
	return err == nil && len(n) > 15
}
