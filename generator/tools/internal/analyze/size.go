package analyze

import (
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
)

// maxSchema is the size of a schema in bytes beyond which no model could make use of it.
const maxSchema = 256 << 10

// sizes refuses tools with huge schemas. It comes last, since it needs valid types.
func (a *analyzer) sizes() {
	if len(*a.problems) > 0 {
		return
	}
	for _, t := range a.out.Tools {
		for what, n := range map[string]int{"arguments": len(schema.Input(t)), "results": len(schema.Output(t))} {
			if n > maxSchema {
				a.problems.Addf(a.declared[t.Func], "%s: the schema of its %s has %d bytes, more than %d; offer several tools, or take and return less at once", t.Func.GoName(), what, n, maxSchema)
			}
		}
	}
}
