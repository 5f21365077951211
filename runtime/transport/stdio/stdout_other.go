//go:build !unix || solaris

package stdio

import "os"

// takeStdout returns the original standard output, and makes [os.Stdout] standard error.
func takeStdout() (*os.File, error) {
	stdout := os.Stdout
	os.Stdout = os.Stderr
	return stdout, nil
}
