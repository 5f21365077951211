package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// manyTools writes a module with tools, n of them, each with a struct, an enumeration and a method.
func manyTools(tb testing.TB, n int) string {
	dir := tb.TempDir()
	var b strings.Builder
	b.WriteString("package m\n\nimport (\n\t\"context\"\n\t\"net/http\"\n\t\"time\"\n)\n\nvar Client http.Client\n\ntype Service struct{}\n")
	for i := range n {
		fmt.Fprintf(&b, `
// A Kind%[1]d is a kind.
type Kind%[1]d string

const (
	One%[1]d Kind%[1]d = "one" // the first
	Two%[1]d Kind%[1]d = "two" // the second
)

// A Report%[1]d is a report.
type Report%[1]d struct {
	At    time.Time `+"`json:\"at\"`"+` // when
	Lines []string  `+"`json:\"lines,omitempty\"`"+`
}

// Report reports something.
//
//   - city: the city
//   - days: how many days
//
//mcp:tool readonly
//mcp:param days default=3 min=1 max=14
func (s *Service) Report%[1]dOf(ctx context.Context, city string, days int, kind Kind%[1]d, tags ...string) (*Report%[1]d, error) {
	return nil, nil
}
`, i)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26.0\n", "m.go": b.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// BenchmarkLoad measures 200 tools from the go command to the generated file, and beside it what
// go/packages takes for the types alone.
func BenchmarkLoad(b *testing.B) {
	dir := manyTools(b, 200)
	env := append(os.Environ(), "GOWORK=off")
	b.Run("types", func(b *testing.B) {
		for b.Loop() {
			_, err := packages.Load(&packages.Config{Mode: mode, Dir: dir, Env: env}, "./...")
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("analyzed", func(b *testing.B) {
		for b.Loop() {
			if _, err := Load(b.Context(), &Config{Dir: dir, Env: env}, "./..."); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("generated", func(b *testing.B) {
		for b.Loop() {
			ps, err := Load(b.Context(), &Config{Dir: dir, Env: env}, "./...")
			if err != nil || len(ps) != 1 {
				b.Fatal(err)
			}
			if _, err := ps[0].Generate(Runtime); err != nil {
				b.Fatal(err)
			}
		}
	})
}
