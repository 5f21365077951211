package peer_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// The defaults are those that the options document, and what is set stays.
func TestDefaults(t *testing.T) {
	want := peer.Options{Limits: transport.Limits{
		Timeout: time.Minute, MaxTimeout: time.Hour, SendTimeout: 30 * time.Second, DrainTime: 2 * time.Second,
		MaxRequests: 1024, MaxBytes: 64 << 20, MaxRefusals: 16 << 10, MaxNotifications: 1024, MaxBatch: 100, MaxBatchBytes: 4 << 20,
	}}
	for _, o := range []*peer.Options{nil, {}} {
		same(t, o.Complete(), &want)
	}
	set := peer.Options{UniqueIDs: true, Limits: transport.Limits{
		Timeout: -1, MaxTimeout: 2, SendTimeout: 3, DrainTime: 4, MaxRequests: 5, MaxBytes: 6, MaxRefusals: 7,
		MaxNotifications: 8, MaxBatch: 9, MaxBatchBytes: 10,
	}}
	complete := set.Complete()
	same(t, complete, &set)
	for _, o := range []*peer.Options{complete, (*peer.Options)(nil).Complete()} {
		if o.Complete() != o {
			t.Error("options that are complete are copied again")
		}
	}
}

// A negative value is no limit.
func TestNegativeLimits(t *testing.T) {
	for _, negative := range []int{-1, -1000} {
		o := &peer.Options{Limits: transport.Limits{
			DrainTime: time.Duration(negative), MaxRequests: negative, MaxBytes: negative, MaxRefusals: negative,
			MaxNotifications: negative, MaxBatch: negative, MaxBatchBytes: negative,
		}}
		c := o.Complete()
		for i, got := range []int{int(c.DrainTime), c.MaxRequests, c.MaxBytes, c.MaxRefusals, c.MaxNotifications, c.MaxBatch, c.MaxBatchBytes} {
			if got < math.MaxInt/2 {
				t.Errorf("limit %d is %d, want none", i, got)
			}
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
