package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docs/api.txt is up to date, so that no change of the API goes unnoticed.
func TestUpToDate(t *testing.T) {
	want, err := os.ReadFile("../../docs/api.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, err := list("../..", public...)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("the API has changed; if it should, run: go generate .\n%s", d)
	}
}
