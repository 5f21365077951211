// Package shop has the tools of the workload of package published, as functions of an API over HTTP and of Redis. Every server
// that is measured calls these; the schemas and the codec of mcpgen's are generated from them.
package shop

//go:generate go -C ../../.. build -o bench/bin/ ./cmd/mcpgen
//go:generate ../../bin/mcpgen tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Shop answers from an API and from Redis.
type Shop struct {
	api   string // its URL
	http  *http.Client
	redis *redis
}

// New returns a shop that asks the API at a URL and Redis at an address.
func New(api, redisAddr string) *Shop {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.Proxy = 200, 100, nil
	return &Shop{api, &http.Client{Transport: t, Timeout: 10 * time.Second}, &redis{addr: redisAddr}}
}

// Search says which products are wanted.
type Search struct {
	Category string  `json:"category"`
	MinPrice float64 `json:"min_price"`
	MaxPrice float64 `json:"max_price"`
	Limit    int     `json:"limit"`
}

// Found is what a search finds.
type Found struct {
	Category   string    `json:"category"`
	TotalFound int       `json:"total_found"`
	Products   []Product `json:"products"`
	Popular    []int     `json:"top10_popular_ids"`
	ServerType string    `json:"server_type"`
}

// Product is one of those found.
type Product struct {
	ID     int     `json:"id"`
	SKU    string  `json:"sku"`
	Name   string  `json:"name"`
	Price  float64 `json:"price"`
	Rating float64 `json:"rating"`
	// Its place among the ten that are bought most, or 0.
	Rank int `json:"popularity_rank"`
}

// SearchProducts searches products by category and price, and says which are popular.
//
//mcp:tool
func (s *Shop) SearchProducts(ctx context.Context, in Search) (*Found, error) {
	found := &Found{ServerType: serverType}
	var popular []string
	err := together(
		func() error {
			return s.get(ctx, "/products/search?"+url.Values{
				"category":  {in.Category},
				"min_price": {strconv.FormatFloat(in.MinPrice, 'f', -1, 64)},
				"max_price": {strconv.FormatFloat(in.MaxPrice, 'f', -1, 64)},
				"limit":     {strconv.Itoa(in.Limit)},
			}.Encode(), found)
		},
		func() (err error) {
			popular, err = s.redis.list("ZREVRANGE", PopularKey, "0", "9")
			return err
		},
	)
	if err != nil {
		return nil, err
	}
	ranks := make(map[int]int, len(popular))
	found.Popular = make([]int, 0, len(popular))
	for i, member := range popular {
		id, err := strconv.Atoi(strings.TrimPrefix(member, "product:"))
		if err != nil {
			return nil, err
		}
		found.Popular = append(found.Popular, id)
		ranks[id] = i + 1
	}
	for i := range found.Products {
		p := &found.Products[i]
		p.Rank = ranks[p.ID]
	}
	return found, nil
}

// User says whose cart is wanted.
type User struct {
	UserID string `json:"user_id"`
}

// Contents is a cart, with some of what its owner has ordered before.
type Contents struct {
	UserID     string  `json:"user_id"`
	Cart       Cart    `json:"cart"`
	History    []Order `json:"recent_history"`
	ServerType string  `json:"server_type"`
}

// Cart is what somebody wants to buy.
type Cart struct {
	Items     []CartItem `json:"items"`
	ItemCount int        `json:"item_count"`
	Total     float64    `json:"estimated_total"`
}

// CartItem is a product in a cart.
type CartItem struct {
	ProductID int `json:"product_id"`
	Quantity  int `json:"qty"`
}

// Order is an order of one product.
type Order struct {
	OrderID   string  `json:"order_id"`
	ProductID int     `json:"product_id"`
	Quantity  int     `json:"qty"`
	Price     float64 `json:"price"`
	Time      int64   `json:"ts"`
}

// GetUserCart returns the cart of a user, with recent orders.
//
//mcp:tool
func (s *Shop) GetUserCart(ctx context.Context, in User) (*Contents, error) {
	fields, err := s.redis.list("HGETALL", CartKey(in.UserID))
	if err != nil {
		return nil, err
	}
	c := &Contents{UserID: in.UserID, ServerType: serverType}
	for i := 0; i+1 < len(fields); i += 2 {
		switch fields[i] {
		case "items":
			err = json.Unmarshal([]byte(fields[i+1]), &c.Cart.Items)
		case "total":
			c.Cart.Total, err = strconv.ParseFloat(fields[i+1], 64)
		}
		if err != nil {
			return nil, err
		}
	}
	c.Cart.ItemCount = len(c.Cart.Items)
	first := 1
	if c.Cart.ItemCount > 0 {
		first = c.Cart.Items[0].ProductID
	}
	var history []string
	err = together(
		func() error { return s.get(ctx, "/products/"+strconv.Itoa(first), nil) }, // the workload reads it, and has no use for it
		func() (err error) {
			history, err = s.redis.list("LRANGE", HistoryKey(in.UserID), "0", "4")
			return err
		},
	)
	if err != nil {
		return nil, err
	}
	c.History = make([]Order, len(history))
	for i, text := range history {
		if err := json.Unmarshal([]byte(text), &c.History[i]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Purchase says who buys what.
type Purchase struct {
	UserID string         `json:"user_id"`
	Items  []PurchaseItem `json:"items"`
}

// PurchaseItem is a product that is bought.
type PurchaseItem struct {
	ProductID int `json:"product_id"`
	Quantity  int `json:"quantity"`
}

// Receipt confirms what was bought.
type Receipt struct {
	OrderID    string  `json:"order_id"`
	UserID     string  `json:"user_id"`
	Total      float64 `json:"total"`
	Items      int     `json:"items_count"`
	Rate       int     `json:"rate_limit_count"`
	Status     string  `json:"status"`
	ServerType string  `json:"server_type"`
}

// Checkout computes what a purchase costs, and records it.
//
//mcp:tool
func (s *Shop) Checkout(ctx context.Context, in Purchase) (*Receipt, error) {
	if len(in.Items) == 0 {
		return nil, errors.New("there is nothing to buy")
	}
	number, _ := strconv.Atoi(in.UserID[strings.LastIndexByte(in.UserID, '-')+1:])
	now := time.Now().Unix()
	id := fmt.Sprintf("ORD-%s-%d", in.UserID, now)
	order, err := json.Marshal(struct {
		OrderID string         `json:"order_id"`
		Items   []PurchaseItem `json:"items"`
		Time    int64          `json:"ts"`
	}{id, in.Items, now})
	if err != nil {
		return nil, err
	}
	var price struct {
		OrderID string  `json:"order_id"`
		Total   float64 `json:"total"`
	}
	var rate int64
	err = together(
		func() error { return s.post(ctx, "/cart/calculate", in, &price) },
		func() (err error) {
			rate, err = s.redis.number("INCR", fmt.Sprintf("bench:ratelimit:user-%05d", number%100))
			return err
		},
		func() error {
			_, err := s.redis.number("RPUSH", HistoryKey(in.UserID), string(order))
			return err
		},
		func() error {
			_, err := s.redis.text("ZINCRBY", PopularKey, "1", "product:"+strconv.Itoa(in.Items[0].ProductID))
			return err
		},
	)
	if err != nil {
		return nil, err
	}
	return &Receipt{
		OrderID: cmp.Or(price.OrderID, id), UserID: in.UserID, Total: price.Total, Items: len(in.Items),
		Rate: int(rate), Status: "confirmed", ServerType: serverType,
	}, nil
}

const serverType = "go" // which language a server is written in, as the workload wants to be told

// PopularKey is where Redis has how often each product was bought.
const PopularKey = "bench:popular"

// CartKey is where Redis has the cart of a user.
func CartKey(user string) string { return "bench:cart:" + user }

// HistoryKey is where Redis has the orders of a user.
func HistoryKey(user string) string { return "bench:history:" + user }

// together calls functions at the same time, and returns their errors.
func together(fs ...func() error) error {
	errs := make([]error, len(fs))
	var wg sync.WaitGroup
	for i, f := range fs {
		wg.Go(func() { errs[i] = f() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (s *Shop) get(ctx context.Context, path string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.api+path, nil)
	if err != nil {
		return err
	}
	return s.do(r, into)
}

func (s *Shop) post(ctx context.Context, path string, body, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.api+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	return s.do(r, into)
}

// do sends a request and decodes the response, unless into is nil.
func (s *Shop) do(r *http.Request, into any) error {
	resp, err := s.http.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("shop: %s: %.100s", resp.Status, body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}
