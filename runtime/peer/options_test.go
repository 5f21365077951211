package peer_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/peer"
)

// The defaults are those that the options document, and what is set stays.
func TestDefaults(t *testing.T) {
	want := peer.Options{
		Timeout: time.Minute, MaxTimeout: time.Hour, SendTimeout: 30 * time.Second, DrainTime: 2 * time.Second,
		ProgressInterval: 10 * time.Millisecond, MaxRequests: 1024, MaxBytes: 64 << 20, MaxRefusals: 16 << 10,
		MaxNotifications: 1024, MaxBatch: 100, MaxBatchBytes: 4 << 20,
	}
	for _, o := range []*peer.Options{nil, {}} {
		same(t, o.Complete(), &want)
	}
	set := peer.Options{
		Timeout: -1, MaxTimeout: 2, SendTimeout: 3, DrainTime: 4, HandOver: 5, ProgressInterval: 6, MaxRequests: 7,
		MaxBytes: 8, MaxRefusals: 9, MaxNotifications: 10, MaxBatch: 11, MaxBatchBytes: 12, UniqueIDs: true,
	}
	complete := set.Complete()
	same(t, complete, &set)
	for _, o := range []*peer.Options{complete, (*peer.Options)(nil).Complete()} {
		if o.Complete() != o {
			t.Error("options that are complete are copied again")
		}
	}
}

// same compares the exported options that are no functions or interfaces.
func same(t *testing.T, got, want *peer.Options) {
	t.Helper()
	a, b := reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()
	for i := range a.NumField() {
		if f := a.Type().Field(i); f.IsExported() && f.Type.Comparable() && f.Name != "Logger" && !a.Field(i).Equal(b.Field(i)) {
			t.Errorf("%s is %v, want %v", f.Name, a.Field(i), b.Field(i))
		}
	}
}
