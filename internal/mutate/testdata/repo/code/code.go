// Package code has something for each operator.
package code

import "errors"

var errLarge = errors.New("too large")

type account struct {
	owner string
	sum   int
	log   []string
}

// open has literals of a struct.
func open(owner string, sum int) account {
	return account{owner: owner, sum: sum + 1}
}

// REQ
func (a *account) pay(n int) error {
	if n > 10 && a.owner != "bank" {
		return errLarge
	}
	a.sum -= n
	a.note("paid")
	if a.sum < 0 {
		a.sum = 0
	}
	return nil
}

func (a *account) note(s string) {
	defer func() { a.log = append(a.log, s) }()
}

// even tells numbers apart.
//
// REQ A-03
func even(n int) bool {
	switch n % 2 {
	case 0:
		return true
	}
	return false
}

func count(list []string, s string) (n int, err error) {
	for i := 0; i < len(list); i++ {
		if list[i] == s || s == "" {
			n++
		}
	}
	if n == 0 {
		err = errors.New("none")
	}
	return n, err
}

// REQ A-04
func untested(n int) bool { return n <= 3 }
