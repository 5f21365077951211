package client_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/mcpgen/mcpgen/generator/client"
)

// laterFile has a client of a server whose results allow no members but those that they declare, in each dialect that
// says so. TestLaterResults uses it.
const laterFile = "later_gen_test.go"

// TestLaterClient compares that file with what is generated.
func TestLaterClient(t *testing.T) {
	text, err := os.ReadFile("testdata/later.json")
	if err != nil {
		t.Fatal(err)
	}
	c, _ := readContract(t, text)
	out, err := client.Generate(c, client.Options{Package: "client_test"})
	if err != nil || len(out.Untyped)+len(out.Mistakes) > 0 {
		t.Fatal(err, out.Untyped, out.Mistakes)
	}
	if *update {
		if err := os.WriteFile(laterFile, out.Source, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(laterFile); err != nil || !bytes.Equal(have, out.Source) {
		t.Errorf("%s is not what is generated (%v): run go test -run TestLaterClient -update", laterFile, err)
	}
}
