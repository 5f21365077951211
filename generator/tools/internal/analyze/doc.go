package analyze

import "go/types"

// objectDoc returns the description of a type, field or constant, whose directive counts as used.
func (a *analyzer) objectDoc(o types.Object) string {
	text, d := a.pkg.Sources.Doc(o)
	if d != nil {
		a.used[d] = true
	}
	return text
}

// typeDoc returns the description of a type of the module. Comments on types of other modules are for Go
// programmers.
func (a *analyzer) typeDoc(o *types.TypeName) string {
	if !a.pkg.Own(o.Pkg()) {
		return ""
	}
	return a.objectDoc(o)
}
