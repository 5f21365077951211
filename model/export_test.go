package model

import "slices"

// MergeRenamed merges schemas, and knows that a revision has another name for a type.
func MergeRenamed(revision, from, to string, schemas ...*Schema) (*Schema, error) {
	return merge(append(slices.Clone(table), exception{do: rename, at: to, to: from, from: revision, reason: "the wire is the same"}), schemas)
}
