// Package goroot finds the Go tree. Programs that were built with -trimpath do not know it.
package goroot

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
)

var found atomic.Pointer[string] // what was found once stays

// Dir returns the folder of the Go tree that the go command uses.
func Dir() (string, error) {
	if root := found.Load(); root != nil {
		return *root, nil
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	root := strings.TrimSpace(string(out))
	if root == "" {
		return "", errors.New("go env GOROOT is empty")
	}
	found.Store(&root)
	return root, nil
}
