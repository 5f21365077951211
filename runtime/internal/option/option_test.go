package option

import (
	"math"
	"testing"
	"time"
)

func TestLimit(t *testing.T) {
	for _, c := range []struct{ option, want int }{{0, 7}, {1, 1}, {7, 7}, {math.MaxInt / 2, math.MaxInt / 2}} {
		if got := Limit(c.option, 7); got != c.want {
			t.Errorf("%d: got %d, want %d", c.option, got, c.want)
		}
	}
	for _, none := range []int{-1, math.MinInt, math.MaxInt} {
		if got := Limit(none, 7); got < math.MaxInt/2 || got+got/2 < got {
			t.Errorf("%d: got %d, want no limit", none, got)
		}
	}
	if got := Limit(time.Duration(-1), time.Second); got != Forever || got < 100*365*24*time.Hour || time.Now().Add(got).Before(time.Now()) {
		t.Errorf("got %v, want no limit", got)
	}
}

func TestOf(t *testing.T) {
	if Of[string](nil) != "" || Of(new("set")) != "set" {
		t.Error("got other options")
	}
}
