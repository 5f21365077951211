// Package goroot finds the Go tree. Programs that were built with -trimpath do not know it.
package goroot

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
)

var dir = sync.OnceValues(find)

// Dir returns the folder of the Go tree that the go command uses.
func Dir() (string, error) { return dir() }

func find() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	root := strings.TrimSpace(string(out))
	if root == "" {
		return "", errors.New("go env GOROOT is empty")
	}
	return root, nil
}
