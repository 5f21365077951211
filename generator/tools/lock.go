package tools

import "github.com/mcpgen/mcpgen/generator/tools/internal/contract"

// A Change is a difference between the contract that was accepted and the one that the code has.
type Change = contract.Change

// A LockEntry is what a lock file holds of a tool, prompt or resource.
type LockEntry = contract.Entry

// A LockContract is what a lock file holds.
type LockContract struct{ contract *contract.Contract }

// ParseLock reads a lock file. The errors begin with its name.
func ParseLock(name string, data []byte) (LockContract, error) {
	c, err := contract.Parse(name, data)
	return LockContract{c}, err
}

// Changes returns how a later contract differs.
func (c LockContract) Changes(later LockContract) []Change {
	return contract.Compare(c.contract, later.contract)
}

// Entries returns the entries in order: tools, prompts, resources, each by name.
func (c LockContract) Entries() []LockEntry { return c.contract.Entries() }

// Lock returns what the lock file holds once the contract of the package, as the code has it, is
// accepted: what the callers of its tools, prompts and resources depend on. It is nil if there is
// nothing to call.
func (p *Package) Lock() []byte { return lockFile(contract.Of(p.ir)) }

// UpdateLock returns what the lock file should hold instead of what it holds, and how the code
// differs from that. What only adds to the contract is recorded; but a tool, prompt or resource
// that broke its callers stays as it was accepted, until somebody accepts [Package.Lock] instead.
//
// The errors are about the file, which may have been edited or merged, and begin with its name.
func (p *Package) UpdateLock(name string, accepted []byte) (lock []byte, changes []Change, err error) {
	old, err := contract.Parse(name, accepted)
	if err != nil {
		return nil, nil, err
	}
	next := contract.Of(p.ir)
	return lockFile(contract.Update(old, next)), contract.Compare(old, next), nil
}

func lockFile(c *contract.Contract) []byte {
	if c.Empty() {
		return nil
	}
	return c.Format()
}
