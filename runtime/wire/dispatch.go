package wire

// A Side is an end of a connection.
type Side uint8

const (
	Server Side = iota
	Client
)

// Reaches reports whether a side can receive the method in revision rev, as a message or in an input-required
// result.
func (m *Method) Reaches(side Side, rev Revision) bool {
	if side == Server {
		return HasRevision(m.ToServer, rev)
	}
	return HasRevision(m.ToClient, rev) || HasRevision(m.AsInput, rev)
}

// DecodeParams decodes the params that a side received into p, which is nil for a method without params. With
// alias, p shares the memory of params. The error is [ErrUnknownMethod] if rev does not have the method, and a
// *[DecodeError] otherwise.
func (m *Method) DecodeParams(side Side, rev Revision, params Raw, alias bool, p Decodable) error {
	switch {
	case !m.Reaches(side, rev):
		return ErrUnknownMethod
	case p == nil:
		return nil
	case len(params) == 0 && m.Optional:
		return nil
	case len(params) == 0:
		return &DecodeError{Msg: m.Name + " requires params, got none"}
	case alias:
		return DecodeAlias(params, p)
	}
	return Decode(params, p)
}
