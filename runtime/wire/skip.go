package wire

// Raw reads a value of any kind and returns its text, which is valid JSON.
func (d *Decoder) Raw() Raw {
	start := d.next()
	d.Skip()
	if d.err != nil {
		return nil
	}
	return Raw(d.data[start:d.pos:d.pos])
}

// RawOf reads a value of kind k and returns its text.
func (d *Decoder) RawOf(k Kind) Raw {
	if d.Kind() != k {
		d.want(k.String(), d.pos)
		return nil
	}
	return d.Raw()
}

// Skip reads and validates a value of any kind. It accepts duplicate members.
func (d *Decoder) Skip() { d.pos = d.skip(d.next()) }

// skip validates the value that begins at i, and returns its end.
func (d *Decoder) skip(i int) int {
	b := d.data
	if i >= len(b) {
		d.unexpected("a value", i)
		return i
	}
	switch b[i] {
	case '"':
		end, _, ok := scanString(b, i+1)
		if !ok {
			d.badString(end)
			return i
		}
		return end + 1
	case '{':
		return d.skipObject(i)
	case '[':
		return d.skipArray(i)
	case 't':
		d.word("true", i)
		return d.pos
	case 'f':
		d.word("false", i)
		return d.pos
	case 'n':
		d.word("null", i)
		return d.pos
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end, _, ok := scanNumber(b, i)
		if !ok {
			d.badNumber(i, end)
			return i
		}
		return end
	}
	d.unexpected("a value", i)
	return i
}

func (d *Decoder) skipArray(i int) int {
	if d.depth == MaxDepth {
		d.tooDeep(i)
		return i
	}
	d.depth++
	b := d.data
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		d.depth--
		return i + 1
	}
	for {
		if i = d.skip(i); d.err != nil {
			return i
		}
		i = skipSpace(b, i)
		if i < len(b) && b[i] == ',' {
			i = skipSpace(b, i+1)
			continue
		}
		if i < len(b) && b[i] == ']' {
			d.depth--
			return i + 1
		}
		d.unexpected("',' or ']' after an element", i)
		return i
	}
}

func (d *Decoder) skipObject(i int) int {
	if d.depth == MaxDepth {
		d.tooDeep(i)
		return i
	}
	d.depth++
	b := d.data
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		d.depth--
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			d.unexpected("a member's name", i)
			return i
		}
		end, _, ok := scanString(b, i+1)
		if !ok {
			d.badString(end)
			return i
		}
		i = skipSpace(b, end+1)
		if i >= len(b) || b[i] != ':' {
			d.unexpected("':' after a member's name", i)
			return i
		}
		if i = d.skip(skipSpace(b, i+1)); d.err != nil {
			return i
		}
		i = skipSpace(b, i)
		if i < len(b) && b[i] == ',' {
			i = skipSpace(b, i+1)
			continue
		}
		if i < len(b) && b[i] == '}' {
			d.depth--
			return i + 1
		}
		d.unexpected("',' or '}' after a member", i)
		return i
	}
}
