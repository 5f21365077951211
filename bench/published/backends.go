package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/bench/published/shop"
)

// The catalogue of the workload: 100,000 products, of which the search that is measured finds 2,251.
const products = 100_000

var categories = strings.Fields("Electronics Books Clothing Sports Home Garden Toys Food Beauty Automotive " +
	"Music Movies Games Office Health Pets Travel Tools Jewelry Baby")

// A product is what the API says about one.
type product struct {
	ID          int      `json:"id"`
	SKU         string   `json:"sku"`
	Name        string   `json:"name"`
	Category    string   `json:"category"`
	Brand       string   `json:"brand"`
	Price       float64  `json:"price"`
	Stock       int      `json:"stock"`
	Rating      float64  `json:"rating"`
	Tags        []string `json:"tags"`
	Weight      float64  `json:"weight"`
	Description string   `json:"description"`
}

func productOf(id int) product {
	i := id - 1
	category, brand := categories[i%len(categories)], fmt.Sprintf("Brand%02d", i%50)
	return product{
		ID: id, SKU: fmt.Sprintf("SKU-%06d", id), Name: fmt.Sprintf("%s %s Item %d", brand, category, id),
		Category: category, Brand: brand, Price: priceOf(id), Stock: i % 501, Rating: float64(10+i%40) / 10,
		Tags: []string{"sale", "new", "featured"}[:2+i%2], Weight: float64(1+i%100) / 10,
		Description: fmt.Sprintf("Quality %s by %s. SKU %06d.", category, brand, id),
	}
}

func priceOf(id int) float64 { return 1 + float64((id-1)%99_900)/100 }

// newAPI returns the API that the tools ask. Its products are sorted before it serves them, so that little of the machine
// is spent on what is not measured.
func newAPI() http.Handler {
	byPrice := map[string][]int{} // the ids of each category
	for id := range products {
		c := categories[id%len(categories)]
		byPrice[c] = append(byPrice[c], id+1)
	}
	for _, ids := range byPrice {
		slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(priceOf(a), priceOf(b)) })
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /products/search", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		least, err1 := strconv.ParseFloat(q.Get("min_price"), 64)
		most, err2 := strconv.ParseFloat(q.Get("max_price"), 64)
		limit, err3 := strconv.Atoi(q.Get("limit"))
		if err := errors.Join(err1, err2, err3); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		ids := byPrice[q.Get("category")]
		from, _ := slices.BinarySearchFunc(ids, least, func(id int, p float64) int { return cmp.Compare(priceOf(id), p) })
		to, _ := slices.BinarySearchFunc(ids, math.Nextafter(most, math.Inf(1)), func(id int, p float64) int { return cmp.Compare(priceOf(id), p) })
		ids = ids[from:max(from, to)]
		found := struct {
			Category   string    `json:"category"`
			TotalFound int       `json:"total_found"`
			Products   []product `json:"products"`
		}{q.Get("category"), len(ids), []product{}}
		for _, id := range ids[:min(max(limit, 0), len(ids))] {
			found.Products = append(found.Products, productOf(id))
		}
		writeJSON(w, found)
	})
	mux.HandleFunc("GET /products/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		if err != nil || id < 1 || id > products {
			http.NotFound(w, r)
			return
		}
		writeJSON(w, productOf(id))
	})
	mux.HandleFunc("POST /cart/calculate", func(w http.ResponseWriter, r *http.Request) {
		var p shop.Purchase
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		cents := func(f float64) float64 { return math.Round(f*100) / 100 }
		subtotal, shipping, discount := 0.0, 5.99, 0.0
		for _, i := range p.Items {
			subtotal += priceOf(i.ProductID) * float64(i.Quantity)
		}
		if subtotal >= 100 {
			shipping, discount = 0, cents(subtotal/10)
		}
		tax := cents(subtotal * 0.085)
		writeJSON(w, struct {
			OrderID  string  `json:"order_id"`
			UserID   string  `json:"user_id"`
			Subtotal float64 `json:"subtotal"`
			Tax      float64 `json:"tax"`
			Shipping float64 `json:"shipping"`
			Discount float64 `json:"discount"`
			Total    float64 `json:"total"`
			Items    int     `json:"items_count"`
		}{
			fmt.Sprintf("ORD-%s-%d", strings.ReplaceAll(p.UserID, "-", ""), len(p.Items)), p.UserID,
			cents(subtotal), tax, shipping, discount, cents(subtotal + tax + shipping - discount), len(p.Items),
		})
	})
	return mux
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// A redisServer is as much of Redis as the workload uses, with its data.
type redisServer struct {
	mu      sync.Mutex
	carts   map[string][]string // names and values
	lists   map[string][]string
	numbers map[string]int64
	popular ranking
}

// A ranking is a sorted set, the highest score first.
type ranking struct {
	members []ranked
	places  map[string]int // of members
}

type ranked struct {
	name  string
	score float64
}

// compareRanks orders as Redis does in reverse: by score, then by name.
func compareRanks(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.name, a.name))
}

// add raises the score of a member, and returns it.
func (r *ranking) add(name string, score float64) float64 {
	i, ok := r.places[name]
	if !ok {
		i = len(r.members)
		r.members = append(r.members, ranked{name, 0})
		r.places[name] = i
	}
	r.members[i].score += score
	for ; i > 0 && compareRanks(r.members[i], r.members[i-1]) < 0; i-- {
		r.swap(i, i-1)
	}
	for ; i < len(r.members)-1 && compareRanks(r.members[i], r.members[i+1]) > 0; i++ {
		r.swap(i, i+1)
	}
	return r.members[i].score
}

func (r *ranking) swap(i, j int) {
	r.members[i], r.members[j] = r.members[j], r.members[i]
	r.places[r.members[i].name], r.places[r.members[j].name] = i, j
}

// newRedis returns the data of the workload for that many users, of whom each has a cart and 20 orders.
func newRedis(users int) *redisServer {
	s := &redisServer{carts: map[string][]string{}, lists: map[string][]string{}, numbers: map[string]int64{}}
	for n := 1; n <= users; n++ {
		items := []shop.CartItem{{ProductID: n*7%products + 1, Quantity: 1 + n%3}, {ProductID: n*13%products + 1, Quantity: 1 + n%2}}
		if n%3 == 0 {
			items = append(items, shop.CartItem{ProductID: n*17%products + 1, Quantity: 1})
		}
		total := 0.0
		for _, i := range items {
			total += priceOf(i.ProductID) * float64(i.Quantity)
		}
		s.carts[shop.CartKey(userID(n))] = []string{
			"user_id", userID(n), "items", text(items), "created", "1740000000", "expires", "1740086400", "total", fmt.Sprintf("%.2f", total),
		}
		for j := 1; j <= 20; j++ {
			key := shop.HistoryKey(userID(n))
			s.lists[key] = append(s.lists[key], text(shop.Order{
				OrderID: fmt.Sprintf("ORD-%05d-%02d", n, j), ProductID: n*j*7%products + 1, Quantity: 1 + j%3,
				Price: priceOf(n*j*13%products + 1), Time: 1_740_000_000 + int64(n*86_400+j*3_600),
			}))
		}
	}
	s.popular = ranking{make([]ranked, products), make(map[string]int, products)}
	for i := range products {
		s.popular.members[i] = ranked{"product:" + strconv.Itoa(i+1), float64((i + 1) * 7 % 10_000)}
	}
	slices.SortFunc(s.popular.members, compareRanks)
	for i, m := range s.popular.members {
		s.popular.places[m.name] = i
	}
	return s
}

func userID(n int) string { return fmt.Sprintf("user-%05d", n) }

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// serve serves connections until the listener is closed.
func (s *redisServer) serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			_ = s.converse(conn) // the other end closes when it likes
		}()
	}
}

func (s *redisServer) converse(conn net.Conn) error {
	r := bufio.NewReader(conn)
	var out []byte
	for {
		command, err := readCommand(r)
		if err != nil {
			return err
		}
		out = s.do(out[:0], command)
		if _, err := conn.Write(out); err != nil {
			return err
		}
	}
}

// readCommand reads an array of texts.
func readCommand(r *bufio.Reader) ([]string, error) {
	n, err := readLength(r, '*')
	if err != nil {
		return nil, err
	}
	command := make([]string, n)
	for i := range command {
		n, err := readLength(r, '$')
		if err != nil {
			return nil, err
		}
		b := make([]byte, n+2)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		command[i] = string(b[:n])
	}
	return command, nil
}

func readLength(r *bufio.Reader, kind byte) (int, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 4 || line[0] != kind {
		return 0, fmt.Errorf("redis: want %q, got %q", kind, line)
	}
	n, err := strconv.Atoi(string(line[1 : len(line)-2]))
	if err != nil || n < 0 || n > 1<<16 {
		return 0, fmt.Errorf("redis: the length %q", line)
	}
	return n, nil
}

// do appends the reply to a command.
func (s *redisServer) do(out []byte, command []string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(name string, arguments int) bool {
		return len(command) == arguments+1 && strings.EqualFold(command[0], name)
	}
	switch {
	case is("ZREVRANGE", 3) && command[1] == shop.PopularKey:
		if from, to, ok := span(command[2:], len(s.popular.members)); ok {
			names := make([]string, 0, to-from)
			for _, m := range s.popular.members[from:to] {
				names = append(names, m.name)
			}
			return appendList(out, names)
		}
	case is("ZINCRBY", 3) && command[1] == shop.PopularKey:
		if by, err := strconv.ParseFloat(command[2], 64); err == nil {
			return appendText(out, strconv.FormatFloat(s.popular.add(command[3], by), 'f', -1, 64))
		}
	case is("HGETALL", 1):
		return appendList(out, s.carts[command[1]])
	case is("LRANGE", 3):
		list := s.lists[command[1]]
		if from, to, ok := span(command[2:], len(list)); ok {
			return appendList(out, list[from:to])
		}
	case is("RPUSH", 2):
		s.lists[command[1]] = append(s.lists[command[1]], command[2])
		return fmt.Appendf(out, ":%d\r\n", len(s.lists[command[1]]))
	case is("INCR", 1):
		s.numbers[command[1]]++
		return fmt.Appendf(out, ":%d\r\n", s.numbers[command[1]])
	}
	return fmt.Appendf(out, "-ERR the bench has no such command: %q\r\n", command)
}

// span reads the first and the last place of what a command wants of n items.
func span(places []string, n int) (from, to int, ok bool) {
	first, err1 := strconv.Atoi(places[0])
	last, err2 := strconv.Atoi(places[1])
	if err1 != nil || err2 != nil || first < 0 || last < first {
		return 0, 0, false
	}
	return min(first, n), min(last+1, n), true
}

func appendList(out []byte, items []string) []byte {
	out = fmt.Appendf(out, "*%d\r\n", len(items))
	for _, s := range items {
		out = appendText(out, s)
	}
	return out
}

func appendText(out []byte, s string) []byte {
	out = append(strconv.AppendInt(append(out, '$'), int64(len(s)), 10), "\r\n"...)
	return append(append(out, s...), "\r\n"...)
}
