package contract

import (
	"fmt"
	"strings"
)

// A Number is how many there are of something.
type Number struct {
	N    int
	Noun string // in the singular
}

// Count lists numbers: "2 tools, 1 prompt". It leaves out zeros, and returns "" if there is nothing else.
func Count(numbers ...Number) string {
	var parts []string
	for _, n := range numbers {
		switch n.N {
		case 0:
		case 1:
			parts = append(parts, "1 "+n.Noun)
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", n.N, n.Noun))
		}
	}
	return strings.Join(parts, ", ")
}
