package code

import (
	"errors"
	"testing"
)

// REQ
func TestPay(t *testing.T) {
	a := open("me", 4)
	if err := a.pay(11); !errors.Is(err, errLarge) {
		t.Error(err)
	}
	if err := a.pay(10); err != nil || a.sum != 0 {
		t.Error(err, a.sum)
	}
	bank := account{owner: "bank", sum: 100}
	if err := bank.pay(11); err != nil || bank.sum != 89 || len(bank.log) != 1 {
		t.Error(err, bank)
	}
}

// REQ A-05
func TestCount(t *testing.T) {
	if n, err := count([]string{"a", "b", "a"}, "a"); n != 2 || err != nil {
		t.Error(n, err)
	}
}

// REQ A-03
var numbers = map[int]bool{1: false, 2: true}

func TestEven(t *testing.T) {
	for n, want := range numbers {
		if even(n) != want {
			t.Error(n)
		}
	}
}
