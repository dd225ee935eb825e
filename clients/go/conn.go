package initd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// peer handles messages that the supervisor sends unasked. Its methods are called by the reader, in order; they must not wait
// for an answer on the same connection.
type peer interface {
	request(c *conn, id json.RawMessage, method string, params members)
	notification(method string, params members)
}

// conn is one connection to a supervisor. A reader and a writer run until the connection ends, so reading and writing never wait for each
// other.
type conn struct {
	stream   net.Conn
	peer     peer
	limit    atomic.Int64
	outgoing chan outgoing
	ended    chan struct{} // Closed when the connection has ended; err says why.
	threads  sync.WaitGroup

	mu        sync.Mutex
	lastID    int64
	pending   map[int64]*call
	complaint error // The last error without an id: the reason, if the connection ends after it.
	err       error
}

// outgoing is a frame for the writer, which closes sent when the frame is written.
type outgoing struct {
	frame []byte
	sent  chan struct{}
}

// call is a request without an answer so far. The reader calls then, if it is set, before it handles any later message.
type call struct {
	then   func(json.RawMessage)
	answer chan incoming
}

func newConn(stream net.Conn, p peer) *conn {
	c := &conn{
		stream:   stream,
		peer:     p,
		outgoing: make(chan outgoing),
		ended:    make(chan struct{}),
		pending:  map[int64]*call{},
	}
	c.limit.Store(helloLimit)
	c.threads.Add(2)
	go c.read()
	go c.write()
	return c
}

// alive reports whether the connection hasn't ended yet.
func (c *conn) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// request sends a request and waits for its answer, which it decodes into result, unless that is nil.
func (c *conn) request(ctx context.Context, method string, params, result any) error {
	return c.requestThen(ctx, method, params, result, nil)
}

func (c *conn) requestThen(ctx context.Context, method string, params, result any, then func(json.RawMessage)) error {
	id, waiting, err := c.open(then)
	if err != nil {
		return err
	}
	defer c.forget(id)
	if err := c.send(ctx, message{ID: id, Method: method, Params: params}); err != nil {
		return err
	}
	select {
	case answer := <-waiting.answer:
		return decodeResult(answer, method, result)
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ended:
		c.threads.Wait() // The answer may be among the last messages.
	}
	select {
	case answer := <-waiting.answer:
		return decodeResult(answer, method, result)
	default:
		return c.reason()
	}
}

func decodeResult(answer incoming, method string, result any) error {
	if answer.err != nil || result == nil {
		return answer.err
	}
	if err := json.Unmarshal(answer.result, result); err != nil {
		return fmt.Errorf("%w: the result of %s: %v", ErrProtocol, method, err)
	}
	return nil
}

func (c *conn) open(then func(json.RawMessage)) (int64, *call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, nil, c.err
	}
	c.lastID++
	waiting := &call{then: then, answer: make(chan incoming, 1)}
	c.pending[c.lastID] = waiting
	return c.lastID, waiting, nil
}

func (c *conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// send returns when the message is written, ctx is done, or the connection has ended. The reader must not call it.
func (c *conn) send(ctx context.Context, m message) error {
	payload, err := encodeMessage(m)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrTooLarge, err)
	}
	frame, err := encodeFrame(payload, int(c.limit.Load()))
	if err != nil {
		return err
	}
	o := outgoing{frame: frame, sent: make(chan struct{})}
	select {
	case c.outgoing <- o:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ended:
		return c.reason()
	}
	select {
	case <-o.sent:
		return nil
	case <-ctx.Done(): // The writer still writes the whole frame.
		return ctx.Err()
	case <-c.ended:
		c.threads.Wait() // The writer may just have written it.
	}
	select {
	case <-o.sent:
		return nil
	default:
		return c.reason()
	}
}

func (c *conn) write() {
	defer c.threads.Done()
	for {
		select {
		case o := <-c.outgoing:
			if _, err := c.stream.Write(o.frame); err != nil {
				if !errors.Is(err, syscall.EPIPE) { // Otherwise the reader first reads the peer's last messages, then finds the end.
					c.end(lost(err))
				}
				return
			}
			close(o.sent)
		case <-c.ended:
			return
		}
	}
}

func (c *conn) read() {
	defer c.threads.Done()
	r := bufio.NewReaderSize(c.stream, 64<<10)
	for {
		payload, err := readFrame(r)
		if err == nil {
			err = c.handle(payload)
		}
		if err != nil {
			c.end(lost(err))
			return
		}
	}
}

// lost says that the connection was lost, unless err says more.
func lost(err error) error {
	switch {
	case errors.Is(err, ErrNotInitd), errors.Is(err, ErrProtocol), errors.Is(err, ErrConnectionLost):
		return err
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: the supervisor closed it", ErrConnectionLost)
	}
	return fmt.Errorf("%w: %v", ErrConnectionLost, err)
}

func (c *conn) handle(payload []byte) error {
	m, err := decodeMessage(payload)
	switch {
	case err != nil:
		return err
	case m.method != "" && m.id != nil:
		c.peer.request(c, m.id, m.method, m.params)
	case m.method != "":
		c.peer.notification(m.method, m.params)
	case m.isNull():
		c.mu.Lock()
		c.complaint = m.err
		c.mu.Unlock()
	default:
		c.answered(m)
	}
	return nil
}

func (c *conn) answered(m incoming) {
	id, isNumber := m.number()
	c.mu.Lock()
	waiting := c.pending[id]
	c.mu.Unlock()
	if !isNumber || waiting == nil {
		return // The caller has given up.
	}
	c.forget(id)
	if waiting.then != nil && m.err == nil {
		waiting.then(m.result)
	}
	waiting.answer <- m
}

// end ends the connection; the first reason counts.
func (c *conn) end(reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	if c.complaint != nil && errors.Is(reason, ErrConnectionLost) {
		reason = c.complaint
	}
	c.err = reason
	close(c.ended)
	_ = c.stream.Close() // Both threads end; an error needs no further action.
}

func (c *conn) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// close ends the connection and waits for its threads. The peer must not call it.
func (c *conn) close() {
	c.end(ErrClosed)
	c.threads.Wait()
}
