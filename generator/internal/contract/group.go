package contract

import "slices"

// Groups returns the indexes of changes: together those that are one change of a type, which several tools, prompts or
// resources use, or one in several places. Groups are in the order of their first changes.
func Groups(all []Change) (groups [][]int) {
	first := map[string]int{}
	for i, c := range all {
		key := c.shape + "\n" + c.Text + "\n" + c.Cure
		if at, ok := first[key]; ok && c.shape != "" && all[groups[at][0]].Breaking == c.Breaking {
			groups[at] = append(groups[at], i)
			continue
		}
		first[key] = len(groups)
		groups = append(groups, []int{i})
	}
	return groups
}

// Users counts the tools, prompts and resources that changes are about: "12 tools, 2 resources".
func Users(all []Change) string {
	counts := []Number{{Noun: "tool"}, {Noun: "prompt"}, {Noun: "resource"}}
	seen := map[[2]string]bool{}
	for _, c := range all {
		if key := [2]string{c.Kind, c.Name}; !seen[key] {
			seen[key] = true
			counts[slices.IndexFunc(counts, func(n Number) bool { return n.Noun == c.Kind })].N++
		}
	}
	return Count(counts...)
}
