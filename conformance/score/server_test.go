package main

import (
	"strings"
	"testing"
)

// TestStartServer starts what is no server.
func TestStartServer(t *testing.T) {
	programs(t, map[string]string{"silent": ":"})
	if _, err := startServer(t.Context(), "absent"); err == nil {
		t.Error("an absent program is started")
	}
	if _, err := startServer(t.Context(), "silent"); err == nil || !strings.Contains(err.Error(), "ended before it said") {
		t.Errorf("a program that prints nothing: %v", err)
	}
}
