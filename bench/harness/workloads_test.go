package harness

import (
	"slices"
	"testing"
)

func TestSelects(t *testing.T) {
	for _, c := range []struct {
		name string
		want []string
	}{
		{"1a", []string{"1a"}},
		{"1", []string{"1a", "1b", "1c", "1d"}},
		{"2", []string{"2-stdio", "2-http"}},
		{"4-client", []string{"4-client"}},
		{"5", []string{"5-idle", "5-listen", "5-load"}},
		{"4-", nil},
		{"", nil},
	} {
		var got []string
		for _, w := range Workloads {
			if Selects(c.name, w.Name) {
				got = append(got, w.Name)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
}
