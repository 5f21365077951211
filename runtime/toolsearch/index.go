package toolsearch

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/mcp"
)

// Tools are ranked by BM25, which needs no model and no state: a word counts more if few tools have it, and less each time that
// it is repeated. A word of a name counts as three of a description.
//
// See Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.

// An index finds tools by words. It is immutable.
type index struct {
	change   int64 // the last that is in it
	names    []string
	lengths  []float64 // in weighted words
	average  float64
	postings map[string][]posting
}

// A posting says how often a tool has a word, weighted.
type posting struct {
	tool int
	n    float64
}

const (
	maxTools = 10_000 // in an index
	maxWords = 1000   // of a tool that count
	inName   = 3      // the weight of a word of the name
)

// newIndex returns an index of tools, of the first maxTools at most. They are in the order of their names, under each of which
// the words of all variants are found.
func newIndex(tools []*mcp.Tool) *index {
	x := &index{postings: map[string][]posting{}}
	for _, t := range tools[:min(len(tools), maxTools)] {
		if len(x.names) == 0 || x.names[len(x.names)-1] != t.Name {
			x.names, x.lengths = append(x.names, t.Name), append(x.lengths, 0)
		}
		i := len(x.names) - 1
		counts := map[string]float64{}
		length, left := 0.0, maxWords
		add := func(text string, weight float64) {
			for _, w := range words(text, left) {
				counts[w] += weight
				length += weight
				left--
			}
		}
		add(t.Name, inName)
		add(t.Title, 1)
		var input struct{ Properties map[string]any }
		if json.Unmarshal(t.InputSchema, &input) == nil {
			add(strings.Join(slices.Sorted(maps.Keys(input.Properties)), " "), 1)
		}
		add(t.Description, 1)
		for w, n := range counts {
			x.postings[w] = append(x.postings[w], posting{i, n})
		}
		x.lengths[i] += length
		x.average += length
	}
	x.average /= float64(max(len(x.names), 1))
	return x
}

// search returns the names of the tools that have any of the words, the best first. A tool of that very name comes before all.
func (x *index) search(query string) []string {
	const k, b = 1.2, 0.75 // as is usual
	scores := map[int]float64{}
	asked := words(query, maxQueryWords)
	slices.Sort(asked)
	for _, w := range slices.Compact(asked) {
		have := x.postings[w]
		rare := math.Log(1 + (float64(len(x.names)-len(have))+0.5)/(float64(len(have))+0.5))
		for _, p := range have {
			scores[p.tool] += rare * p.n * (k + 1) / (p.n + k*(1-b+b*x.lengths[p.tool]/x.average))
		}
	}
	if i, ok := slices.BinarySearch(x.names, strings.TrimSpace(query)); ok {
		scores[i] = math.Inf(1)
	}
	found := slices.SortedFunc(maps.Keys(scores), func(i, j int) int {
		return cmp.Or(cmp.Compare(scores[j], scores[i]), cmp.Compare(i, j))
	})
	names := make([]string, len(found))
	for n, i := range found {
		names[n] = x.names[i]
	}
	return names
}

// words returns the words of a text, in lower case and without the s of a plural, at most that many. A word ends where letters
// and digits do, and before a capital that follows a small letter: getUserID is get, user and id.
func words(text string, most int) (all []string) {
	var word []rune
	end := func() {
		if n := len(word); n > 3 && word[n-1] == 's' && word[n-2] != 's' {
			word = word[:n-1]
		}
		if len(word) > 0 && len(all) < most {
			all = append(all, string(word))
		}
		word = word[:0]
	}
	small := false
	for _, r := range text {
		if len(all) >= most {
			break
		}
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter || small && unicode.IsUpper(r) {
			end()
		}
		if small = unicode.IsLower(r); letter && len(word) < maxWord {
			word = append(word, unicode.ToLower(r))
		}
	}
	end()
	return all
}

const (
	maxQueryWords = 50
	maxWord       = 64 // characters of a word that count
)
