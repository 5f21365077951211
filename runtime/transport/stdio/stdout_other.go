//go:build !unix || solaris

package stdio

import "os"

// takeStdout returns the original standard output, and replaces [os.Stdout] with a pipe.
func takeStdout() (*os.File, *stray, error) {
	output, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	real := os.Stdout
	os.Stdout = in
	s := &stray{
		output: output,
		release: func() {
			os.Stdout = os.Stderr
			in.Close()
		},
	}
	return real, s, nil
}
