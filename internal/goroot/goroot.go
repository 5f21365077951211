// Package goroot finds the Go tree. Programs that were built with -trimpath do not know it.
package goroot

import (
	"go/build"
	"os/exec"
	"strings"
	"sync"
)

// Dir returns the folder of the Go tree that the go command uses.
var Dir = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if dir := strings.TrimSpace(string(out)); err == nil && dir != "" {
		return dir
	}
	return build.Default.GOROOT
})
