package main

import (
	"os"
	"testing"
)

// TestMain makes the test binary be what the program starts: itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

func Example() {
	main()
	// Output:
	// greet: Greets somebody
	// Hello, Ada!
}
