// Package repo has the tests of what holds in the whole repository: that documents show code that is compiled and name
// what exists, that packages import only what is above them, that hand-written code has no facts of the protocol.
package repo

import (
	"log"
	"os"
	"testing"
)

// TestMain lets all tests run in the repository's own folder.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}
