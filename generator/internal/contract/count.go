package contract

import (
	"fmt"
	"strings"
)

// A Number is how many there are of something.
type Number struct {
	N    int
	Noun string // for one of them
}

// Count lists numbers: "2 tools, 1 prompt". It leaves out what there is none of, and is empty if that is all.
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
