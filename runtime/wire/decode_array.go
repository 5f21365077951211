package wire

// An Array is an array that is being read element by element. Generated protocol types use [Slice].
type Array struct {
	d     *Decoder
	begun bool
}

// Array begins to read an array.
func (d *Decoder) Array() Array {
	d.open('[', "array")
	return Array{d: d}
}

// Next goes on to the next element, whose value comes next. It returns false at the end of the array.
func (a *Array) Next() bool {
	if a.d.err != nil {
		return false
	}
	if !a.begun {
		a.begun = true
		return !a.d.endArray()
	}
	return a.d.nextElement()
}

// Failed reports whether there was an error. [Decoder.Finish] returns it.
func (d *Decoder) Failed() bool { return d.err != nil }

// PathAt returns the path of the value that begins at offset in data, "content[2].text", and of a
// member of it if that is not empty. The text before offset must be valid JSON as far as it goes.
func PathAt(data []byte, offset int, member string) string {
	path := pathAt(data, offset)
	if member == "" {
		return path
	}
	return joinPath(path, member)
}
