package shop

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

// A redis is a client of Redis with as many connections as it needs at once. It has what the tools use of RESP.
type redis struct {
	addr string

	mu   sync.Mutex
	idle []*redisConn
}

type redisConn struct {
	net.Conn
	r   *bufio.Reader
	out []byte
}

// A reply is what Redis returns: a text, a number or a list of texts.
type reply struct {
	text   string
	number int64
	list   []string
}

func (c *redis) text(command ...string) (string, error) {
	r, err := c.do(command)
	return r.text, err
}

func (c *redis) number(command ...string) (int64, error) {
	r, err := c.do(command)
	return r.number, err
}

func (c *redis) list(command ...string) ([]string, error) {
	r, err := c.do(command)
	return r.list, err
}

func (c *redis) do(command []string) (reply, error) {
	conn, err := c.take()
	if err != nil {
		return reply{}, err
	}
	r, err := conn.do(command)
	var refused redisError
	if err != nil && !errors.As(err, &refused) {
		conn.Close()
		return reply{}, err
	}
	c.mu.Lock()
	c.idle = append(c.idle, conn)
	c.mu.Unlock()
	return r, err
}

func (c *redis) take() (*redisConn, error) {
	c.mu.Lock()
	if n := len(c.idle) - 1; n >= 0 {
		conn := c.idle[n]
		c.idle = c.idle[:n]
		c.mu.Unlock()
		return conn, nil
	}
	c.mu.Unlock()
	conn, err := net.DialTimeout("tcp", c.addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return &redisConn{Conn: conn, r: bufio.NewReader(conn)}, nil
}

func (c *redisConn) do(command []string) (reply, error) {
	c.out = fmt.Appendf(c.out[:0], "*%d\r\n", len(command))
	for _, s := range command {
		c.out = append(strconv.AppendInt(append(c.out, '$'), int64(len(s)), 10), "\r\n"...)
		c.out = append(append(c.out, s...), "\r\n"...)
	}
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return reply{}, err
	}
	if _, err := c.Write(c.out); err != nil {
		return reply{}, err
	}
	return c.read()
}

// A redisError is what Redis says of a command that it does not do.
type redisError string

func (e redisError) Error() string { return "redis: " + string(e) }

func (c *redisConn) read() (r reply, err error) {
	line, err := c.r.ReadString('\n')
	if err != nil {
		return r, err
	}
	if len(line) < 3 {
		return r, errors.New("redis: a reply without a type")
	}
	kind, line := line[0], line[1:len(line)-2]
	switch kind {
	case '+':
		r.text = line
	case '-':
		err = redisError(line)
	case ':':
		r.number, err = strconv.ParseInt(line, 10, 64)
	case '$':
		r.text, err = c.bulk(line)
	case '*':
		var n int
		if n, err = strconv.Atoi(line); err != nil || n < 0 {
			return r, err
		}
		r.list = make([]string, n)
		for i := range r.list {
			item, err := c.read()
			if err != nil {
				return r, err
			}
			r.list[i] = item.text
		}
	default:
		err = fmt.Errorf("redis: a reply of type %q", kind)
	}
	return r, err
}

// bulk reads a text of the length that a line says.
func (c *redisConn) bulk(length string) (string, error) {
	n, err := strconv.Atoi(length)
	if err != nil || n < 0 {
		return "", err
	}
	b := make([]byte, n+2)
	if _, err := io.ReadFull(c.r, b); err != nil {
		return "", err
	}
	return string(b[:n]), nil
}
