package jsonrpc

import (
	"bytes"
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// AddMeta returns params with the members of the object meta in their member _meta, where they replace members of the
// same name. Params may be absent, and so may meta. The params that it is called with do not change.
func AddMeta(params, meta wire.Raw) (wire.Raw, error) {
	if len(meta) == 0 {
		return params, nil
	}
	return appendMeta(slices.Clone(params), 0, meta)
}

// appendMeta adds the members of the object meta to the member _meta of the params, which begin at the index at of buf.
// If there are no params yet, they become {"_meta":meta}.
//
// REQ STDIO-03
func appendMeta(buf []byte, at int, meta wire.Raw) ([]byte, error) {
	if kind := meta.Kind(); kind != wire.KindObject {
		return nil, errors.New("jsonrpc: _meta must be an object, got " + kind.String())
	}
	if bytes.IndexByte(meta, '\n') >= 0 || bytes.IndexByte(meta, '\r') >= 0 {
		var err error
		if meta, err = wire.Append(nil, wire.Any, meta); err != nil {
			return nil, err
		}
	}
	if at == len(buf) {
		buf = append(buf, `{"_meta":`...)
		buf = append(buf, meta...)
		return append(buf, '}'), nil
	}
	p, err := findMeta(buf[at:])
	switch {
	case err != nil:
		return nil, err // raw params that are not JSON
	case p.meta == nil:
		first := at + p.first
		if !p.empty {
			buf = slices.Insert(buf, first, ',')
		}
		buf = slices.Insert(buf, first, meta...)
		return slices.Insert(buf, first, []byte(`"_meta":`)...), nil
	case p.meta.Kind() == wire.KindObject:
		if meta, err = mergeMeta(p.meta, meta); err != nil {
			return nil, err
		}
	case p.meta.Kind() != wire.KindNull:
		return nil, errors.New("jsonrpc: _meta must be an object, got " + p.meta.Kind().String())
	}
	at += p.metaAt
	return slices.Replace(buf, at, at+len(p.meta), meta...), nil
}

// places are offsets in the text of an object of params.
type places struct {
	first  int      // of the first member, or of where it would begin
	empty  bool     // there are no members
	meta   wire.Raw // the value of _meta, nil if there is none
	metaAt int
}

// findMeta finds the _meta in params, or where it can be inserted.
func findMeta(params []byte) (p places, err error) {
	d := wire.NewDecoder(params)
	o := d.Object(&typeParams)
	p.first, p.empty = d.Offset(), true
	for o.Next() {
		p.empty = false
		if o.Name != "_meta" {
			d.Skip()
			continue
		}
		o.Once(0)
		d.Kind() // go on to the value
		p.metaAt = d.Offset()
		p.meta = d.Raw()
	}
	return p, d.Finish()
}

// mergeMeta returns an object with the members of meta, and those of old that meta does not have.
func mergeMeta(old, meta wire.Raw) (wire.Raw, error) {
	added, err := membersOf(meta)
	if err != nil {
		return nil, err
	}
	merged := added
	kept, err := membersOf(old)
	if err != nil {
		return nil, err
	}
	for _, m := range kept {
		if _, found := added.Get(m.Name); !found { // few: what the caller adds
			merged = append(merged, m)
		}
	}
	return wire.Append(nil, wire.Any, object(merged))
}

func membersOf(raw wire.Raw) (wire.Extra, error) {
	d := wire.NewDecoder(raw)
	list := wire.Ordered(&d, (*wire.Raw).DecodeWire)
	return list, d.Finish()
}

// An object is any object.
type object wire.Extra

func (o object) EncodeWire(e *wire.Encoder) {
	wire.PutOrdered(e, wire.Extra(o), func(v *wire.Raw, e *wire.Encoder) { e.Raw(*v) })
}
