package wire

// An Array reads an array element by element. Generated bindings use [Slice].
type Array struct {
	d     *Decoder
	begun bool
}

// Array starts to read an array.
func (d *Decoder) Array() Array {
	d.open('[', "array")
	return Array{d: d}
}

// Next advances to the next element, which is then to be read. It returns false at the end of the array.
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

// PathAt returns the path of the value that begins at offset in data, such as "content[2].text", or of one of
// its members if member is not empty. The text before offset must be the beginning of valid JSON.
func PathAt(data []byte, offset int, member string) string {
	path := pathAt(data, offset)
	if member == "" {
		return path
	}
	return joinPath(path, member)
}
