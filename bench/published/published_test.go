package main

import (
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/bench/published/shop"
)

func TestMain(m *testing.M) {
	if isChild() {
		harness.Main(slices.Concat(shopPeers[:], echoPeers[:])...)
		return
	}
	os.Exit(m.Run())
}

// TestRound has each cell measured once, with answers that are right, or the round fails.
func TestRound(t *testing.T) {
	o := &options{rounds: 1, users: 2, calls: 64, warmCalls: 1, dur: 20 * time.Millisecond}
	shops, echoes, err := measure(o)
	if err != nil {
		t.Fatal(err)
	}
	// Whether a server names a session decides how many requests an iteration is.
	requests := map[string]int{
		"floor, sessions": 16, "mcpgen, sessions": 16, "mcpgo, sessions": 16, "gosdk, sessions": 16,
		"floor, stateless": 12, "mcpgen, stateless": 12, "mcpgo, stateless": 12, "gosdk, stateless": 12,
	}
	if len(shops) != len(requests) {
		t.Errorf("%d cells, want %d", len(shops), len(requests))
	}
	for _, c := range shops {
		s := c.samples[0]
		n := s.iterations
		if n < o.users || s.counted != 8*n || s.all != requests[c.name]*n || len(s.calls) != 3*n || s.bytes == 0 {
			t.Errorf("%s: %d iterations, %d requests counted, %d in all, %d calls, %d bytes", c.name, n, s.counted, s.all, len(s.calls), s.bytes)
		}
		if s.per(n, cpuOf) <= 0 || s.per(n, allocsOf) <= 0 {
			t.Errorf("%s: the server reports no work", c.name)
		}
	}
	for i, cells := range echoes {
		if len(cells) != names {
			t.Errorf("%d sessions: %d cells, want %d", sessions[i], len(cells), names)
		}
		for _, c := range cells {
			if s := c.samples[0]; s.all != o.calls || len(s.calls) != o.calls || s.bytes == 0 {
				t.Errorf("%s, %d sessions: %d requests, %d calls, %d bytes", c.name, sessions[i], s.all, len(s.calls), s.bytes)
			}
		}
	}
	var out strings.Builder
	describe(&out, o)
	shopTable(&out, shops)
	echoTable(&out, echoes)
	if lines, want := strings.Count(out.String(), "\n"), 2+3+len(requests)+3+len(sessions)*names; lines != want {
		t.Errorf("%d lines, want %d:\n%s", lines, want, out.String())
	}
}

func TestNoRounds(t *testing.T) {
	for _, o := range []options{{users: 1, calls: 1}, {rounds: 1, calls: 1}, {rounds: 1, users: 1}} {
		if err := run(io.Discard, &o); err == nil {
			t.Errorf("%+v is no mistake", o)
		}
	}
}

// TestChecks has wrong answers noticed.
func TestChecks(t *testing.T) {
	returned := func(s string) []byte {
		return []byte(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":` + text(s) + `}]}}`)
	}
	ten := `[1,2,3,4,5,6,7,8,9,10]`
	for _, c := range []struct {
		name     string
		check    func([]byte) error
		response []byte
		ok       bool
	}{
		{"found", checkSearch, returned(`{"total_found":2251,"products":` + ten + `,"top10_popular_ids":` + ten + `}`), true},
		{"too many", checkSearch, returned(`{"total_found":2252,"products":` + ten + `,"top10_popular_ids":` + ten + `}`), false},
		{"unpopular", checkSearch, returned(`{"total_found":2251,"products":` + ten + `,"top10_popular_ids":[]}`), false},
		{"an error", checkSearch, []byte(`{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no"}}`), false},
		{"a cart", checkCart, returned(`{"user_id":"a","cart":{"items":[1]},"recent_history":[1,2,3,4,5]}`), true},
		{"an empty cart", checkCart, returned(`{"user_id":"a","cart":{"items":[]},"recent_history":[1,2,3,4,5]}`), false},
		{"a short history", checkCart, returned(`{"user_id":"a","cart":{"items":[1]},"recent_history":[1]}`), false},
		{"a receipt", checkCheckout, returned(`{"status":"confirmed","total":1,"items_count":2}`), true},
		{"for nothing", checkCheckout, returned(`{"status":"confirmed","total":0,"items_count":2}`), false},
		{"a list", checkList, []byte(`{"result":{"tools":[{"name":"a"},{"name":"b"},{"name":"c"}]}}`), true},
		{"a short list", checkList, []byte(`{"result":{"tools":[{"name":"a"}]}}`), false},
		{"an event", checkList, data([]byte("event: message\ndata: {\"result\":{\"tools\":[{},{},{}]}}\n\n")), true},
	} {
		if err := c.check(c.response); err == nil != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestShop has the tools return what the API and Redis have.
func TestShop(t *testing.T) {
	b, err := startBackends(3)
	if err != nil {
		t.Fatal(err)
	}
	defer b.stop()
	s := shop.New(os.Getenv(envAPI), os.Getenv(envRedis))
	cart, err := s.GetUserCart(t.Context(), shop.User{UserID: userID(3)})
	if err != nil {
		t.Fatal(err)
	}
	if cart.Cart.ItemCount != 3 || cart.Cart.Items[2] != (shop.CartItem{ProductID: 52, Quantity: 1}) || cart.Cart.Total <= 0 || len(cart.History) != 5 {
		t.Errorf("the cart is %+v", cart)
	}
	search := func() *shop.Found {
		t.Helper()
		found, err := s.SearchProducts(t.Context(), shop.Search{Category: "Electronics", MinPrice: 50, MaxPrice: 500, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	found := search()
	if found.TotalFound != 2251 || found.Products[0].Price != 50 || found.Products[0].Rank != 0 {
		t.Errorf("found %+v", found)
	}
	// What is bought more often than all else becomes the most popular.
	id := found.Products[0].ID
	for want := 1; want <= 2; want++ {
		receipt, err := s.Checkout(t.Context(), shop.Purchase{UserID: userID(3), Items: []shop.PurchaseItem{{ProductID: id, Quantity: 2}}})
		if err != nil {
			t.Fatal(err)
		}
		if receipt.Rate != want || receipt.Total != 98.5 { // 100, with tax and a discount
			t.Errorf("purchase %d: %+v", want, receipt)
		}
	}
	conn, err := net.Dial("tcp", os.Getenv(envRedis))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, c := range []struct{ command, want string }{
		{"*4\r\n$7\r\nZINCRBY\r\n$13\r\nbench:popular\r\n$5\r\n20000\r\n$12\r\nproduct:4901\r\n", "$"},
		{"*2\r\n$3\r\nGET\r\n$1\r\na\r\n", "-ERR"},
	} {
		if _, err := conn.Write([]byte(c.command)); err != nil {
			t.Fatal(err)
		}
		reply := make([]byte, 256)
		n, err := conn.Read(reply)
		if err != nil || !strings.HasPrefix(string(reply[:n]), c.want) {
			t.Errorf("%q: got %q, %v, want %q", c.command, reply[:n], err, c.want)
		}
	}
	if found := search(); found.Popular[0] != 4901 || found.Products[0].Rank != 1 {
		t.Errorf("product 4901 is not the most popular: %+v", found)
	}
}
