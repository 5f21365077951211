package witness

import "slices"

// A place is one schema inside the schema of the values: what is made there varies, and all else is as small as it can be.
type place struct {
	target     *node
	containers [][]int // by the id of a schema: the ids of those that it is a part of
	distances  []int   // by the id of a schema: how many steps to the target; nil before they are needed
}

// unreachable is more steps than there are.
const unreachable = 1 << 30

// placesOf returns the places inside a schema, as [parse] returns it: the schema first, then its parts.
func placesOf(nodes []*node) (all []*place) {
	containers := make([][]int, len(nodes))
	reached := make([]bool, len(nodes))
	var reach func(n *node)
	reach = func(n *node) {
		if n.id < 0 || reached[n.id] {
			return
		}
		reached[n.id] = true
		all = append(all, &place{target: n, containers: containers})
		for _, part := range n.parts() {
			if part.id >= 0 {
				containers[part.id] = append(containers[part.id], n.id)
			}
			reach(part)
		}
	}
	reach(nodes[0])
	return all
}

// parts returns the schemas of the same values as n, and of parts of them.
func (n *node) parts() []*node {
	all := slices.Concat(n.all, n.prefix)
	for _, arms := range n.arms {
		all = append(all, arms...)
	}
	for _, p := range n.properties {
		all = append(all, p)
	}
	for _, p := range n.patterns {
		all = append(all, p.node)
	}
	all = append(all, n.ref, n.items, n.rest)
	all = slices.DeleteFunc(all, func(n *node) bool { return n == nil || n.never })
	slices.SortFunc(all, func(a, b *node) int { return a.id - b.id })
	return all
}

// steps returns how many steps, from a schema to a part of it, lead from one of several schemas to the place.
func (p *place) steps(from []*node) int {
	if p.distances == nil {
		p.measure()
	}
	least := unreachable
	for _, n := range from {
		if n.id >= 0 {
			least = min(least, p.distances[n.id])
		}
	}
	return least
}

// measure finds how far all schemas are from the target, by going from each part to what it is a part of.
func (p *place) measure() {
	p.distances = slices.Repeat([]int{unreachable}, len(p.containers))
	p.distances[p.target.id] = 0
	for next := []int{p.target.id}; len(next) > 0; next = next[1:] {
		for _, id := range p.containers[next[0]] {
			if p.distances[id] == unreachable {
				p.distances[id] = p.distances[next[0]] + 1
				next = append(next, id)
			}
		}
	}
}
