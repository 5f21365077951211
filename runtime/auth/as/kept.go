package as

import (
	"container/list"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// A kept knows whose records a store has, so that those of whoever has most give way when the store is full. It counts
// what this process stores.
type kept struct {
	// MaxSize is how large all records may be together. If 0, only the store bounds them.
	MaxSize int

	// Max is how many records there may be or, if MaxSize is 0, of how many it knows whose they are: it forgets those
	// that were stored first.
	Max int

	mu      sync.Mutex
	records map[string]*keptRecord // by their keys
	owners  map[share.Owner]*keptOwner
	order   list.List // of *keptRecord, the one stored first in front
	size    int
}

type keptRecord struct {
	key              string
	revision         uint64
	size             int
	until            time.Time
	of               *keptOwner
	inOrder, inOwner *list.Element
}

type keptOwner struct {
	owner   share.Owner
	size    int
	records list.List // of *keptRecord, the one stored first in front
}

func (of *keptOwner) first() *keptRecord { return of.records.Front().Value.(*keptRecord) }

// Put notes that a record was stored, or replaced, by an owner.
func (k *kept) Put(o share.Owner, key string, revision uint64, size int, until time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.remove(k.records[key])
	if k.owners == nil {
		k.records, k.owners = make(map[string]*keptRecord), make(map[share.Owner]*keptOwner)
	}
	of := k.owners[o]
	if of == nil {
		of = &keptOwner{owner: o}
		k.owners[o] = of
	}
	r := &keptRecord{key: key, revision: revision, size: size, until: until, of: of}
	r.inOrder, r.inOwner = k.order.PushBack(r), of.records.PushBack(r)
	k.records[key] = r
	of.size += size
	k.size += size
	if k.order.Len() > k.Max {
		k.remove(k.order.Front().Value.(*keptRecord))
	}
}

// Remove notes that a record was deleted, or is to give way no more.
func (k *kept) Remove(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.remove(k.records[key])
}

func (k *kept) remove(r *keptRecord) {
	if r == nil {
		return
	}
	delete(k.records, r.key)
	k.size -= r.size
	k.order.Remove(r.inOrder)
	r.of.records.Remove(r.inOwner)
	if r.of.size -= r.size; r.of.records.Len() == 0 {
		delete(k.owners, r.of.owner)
	}
}

// Full reports whether another record of that size needs others to give way, whatever the store says.
func (k *kept) Full(size int, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.full(size) {
		return false
	}
	k.forgetExpired(now)
	return k.full(size)
}

func (k *kept) full(size int) bool {
	return k.MaxSize > 0 && (k.size+size > k.MaxSize || k.order.Len() >= k.Max)
}

func (k *kept) forgetExpired(now time.Time) {
	for _, of := range k.owners {
		for of.records.Len() > 0 && !now.Before(of.first().until) {
			k.remove(of.first())
		}
	}
}

// Yield returns the record that gives way to another one of an owner: the first one of whoever has most, or would have
// with the new one. It no longer knows that record.
func (k *kept) Yield(o share.Owner, size int, now time.Time) (key string, revision uint64, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forgetExpired(now)
	var most *keptOwner
	for _, of := range k.owners {
		if most == nil || of.size > most.size || of.size == most.size && of.first().until.Before(most.first().until) {
			most = of
		}
	}
	if most == nil {
		return "", 0, false
	}
	if own := k.owners[o]; own != nil && most.size < own.size+size {
		most = own
	}
	r := most.first()
	k.remove(r)
	return r.key, r.revision, true
}
