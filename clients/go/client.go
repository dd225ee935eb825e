package initd

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
)

// Client sends requests to a supervisor. It connects when it is first needed, and again if the connection was lost.
// All goroutines may use it at once.
//
// A request waits for a supervisor that isn't running yet: up to [Options].ConnectTimeout, and until its context is done. A
// request whose connection is lost before the answer returns [ErrConnectionLost], because it may have taken effect. The next
// request connects again.
type Client struct {
	options *Options
	ctx     context.Context // Done when the client is closed.
	cancel  context.CancelFunc

	mu    sync.Mutex // Guards that users grows only until the client is closed.
	users sync.WaitGroup

	turn    chan struct{} // turn has one place: for the goroutine that replaces current.
	current atomic.Pointer[conn]
}

// NewClient returns a client. Nil options are the defaults. Close it after use.
func NewClient(options *Options) *Client {
	ctx, cancel := context.WithCancel(context.Background())
	return &Client{options: options.complete(clientConnectTimeout), ctx: ctx, cancel: cancel, turn: make(chan struct{}, 1)}
}

// Close ends the connection, the subscriptions and the holds, and waits until they have ended.
func (c *Client) Close() error {
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.drop()
	c.users.Wait()
	return nil
}

// connection returns the connection, and opens one if none is open.
func (c *Client) connection(ctx context.Context) (*conn, error) {
	if current := c.current.Load(); current != nil && current.alive() {
		return current, ctx.Err()
	}
	return c.connect(ctx)
}

// connect makes a connection, unless another request has made one in the meantime.
func (c *Client) connect(ctx context.Context) (*conn, error) {
	ctx, cancel := c.during(ctx)
	defer cancel()
	waiting, err := c.options.await(ctx, c.options.ConnectTimeout)
	if err != nil {
		return nil, err
	}
	defer waiting.end()
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, c.closedOr(ctx.Err())
	case <-waiting.ctx.Done(): // Another request has tried to connect all the time.
		return nil, c.closedOr(waiting.failure())
	}
	if c.ctx.Err() != nil {
		return nil, ErrClosed
	}
	if current := c.current.Load(); current != nil && current.alive() {
		return current, nil
	}
	c.drop()
	for {
		made, err := waiting.dial(refusing{})
		if err == nil {
			c.current.Store(made)
			return made, nil
		}
		if err = waiting.again(err, temporary(err)); err != nil {
			return nil, c.closedOr(err)
		}
	}
}

// drop ends the connection, if there is one.
func (c *Client) drop() {
	if current := c.current.Swap(nil); current != nil {
		current.close()
	}
}

// join counts a subscription or a hold, for which Close waits. It reports false if the client is closed.
func (c *Client) join() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return false
	}
	c.users.Add(1)
	return true
}

// during returns a context that is done when ctx is, or when the client is closed.
func (c *Client) during(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-c.ctx.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

func (c *Client) closedOr(err error) error {
	if c.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}

// Do sends any request of the protocol, and decodes its result into result, a pointer or nil. Params must be encoded as
// a JSON object; nil leaves them out.
func (c *Client) Do(ctx context.Context, method string, params, result any) error {
	current, err := c.connection(ctx)
	if err != nil {
		return err
	}
	return current.request(ctx, method, params, result)
}

// Ping returns nil if the supervisor answers.
func (c *Client) Ping(ctx context.Context) error { return c.Do(ctx, "ping", nil, nil) }

// Status returns the complete state of the supervisor.
func (c *Client) Status(ctx context.Context) (*Status, error) {
	var status Status
	if err := c.Do(ctx, "status", nil, &status); err != nil {
		return nil, err
	}
	return &status, nil
}

// Launch requests the launch pass: it starts it, joins it, or retries a failed one. It doesn't wait for the pass.
func (c *Client) Launch(ctx context.Context) (Requested, error) {
	var requested Requested
	err := c.Do(ctx, "launch", nil, &requested)
	return requested, err
}

// Activate makes the app active, and requests an active pass. It doesn't wait for the pass: give its number to [WaitPass]
// for that.
func (c *Client) Activate(ctx context.Context) (Requested, error) {
	var requested Requested
	err := c.Do(ctx, "activate", nil, &requested)
	return requested, err
}

// Deactivate makes the app inactive, ends all holds, and cancels the active pass. It returns the initializers whose runs it
// cancelled, and doesn't wait until they have stopped.
func (c *Client) Deactivate(ctx context.Context) ([]string, error) { return c.deactivate(ctx, false) }

// DeactivateAndWait is Deactivate, but it returns once the cancelled runs have stopped.
func (c *Client) DeactivateAndWait(ctx context.Context) ([]string, error) {
	return c.deactivate(ctx, true)
}

func (c *Client) deactivate(ctx context.Context, wait bool) ([]string, error) {
	var result struct {
		Cancelled []string `json:"cancelled"`
	}
	err := c.Do(ctx, "deactivate", map[string]bool{"wait": wait}, &result)
	return result.Cancelled, err
}

// Logs returns the last lines of output of commands, the oldest first: of one initializer or, if its name is empty, of all;
// at most limit, or 1,000 if limit is 0.
func (c *Client) Logs(ctx context.Context, initializer string, limit int) ([]LogLine, error) {
	params := map[string]any{}
	if initializer != "" {
		params["initializer"] = initializer
	}
	if limit != 0 {
		params["limit"] = limit
	}
	var lines []LogLine
	for {
		var page struct {
			Lines  []LogLine       `json:"lines"`
			More   bool            `json:"more"`
			Before json.RawMessage `json:"before"`
		}
		if err := c.Do(ctx, "logs", params, &page); err != nil {
			return nil, err
		}
		lines = append(page.Lines, lines...)
		if !page.More {
			return lines, nil
		}
		params["before"] = page.Before
	}
}

// Rerun runs initializers again, all or none, and returns the numbers of the passes. Their dependents then become stale. It doesn't
// wait: give each number to [WaitPass] for that. The error is [ErrInactive] for an active initializer while the app is inactive, and
// [ErrNotRunning] for an initializer that --only or --skip leaves out.
func (c *Client) Rerun(ctx context.Context, names ...string) ([]int64, error) {
	return c.rerun(ctx, names, false)
}

// RerunWithDependents is Rerun, but the direct and indirect dependents of the initializers also run again.
func (c *Client) RerunWithDependents(ctx context.Context, names ...string) ([]int64, error) {
	return c.rerun(ctx, names, true)
}

func (c *Client) rerun(ctx context.Context, names []string, withDependents bool) ([]int64, error) {
	var result struct {
		Passes []int64 `json:"passes"`
	}
	err := c.Do(ctx, "rerun", map[string]any{"initializers": listed(names), "withDependents": withDependents}, &result)
	return result.Passes, err
}

// Cancel cancels the runs of initializers, as their timeouts would, all or none: each run has failed, and isn't retried. It returns
// their names once the runs have stopped. The error is [ErrNotRunning] for a name that neither runs nor waits for its next attempt.
func (c *Client) Cancel(ctx context.Context, names ...string) ([]string, error) {
	var result struct {
		Cancelled []string `json:"cancelled"`
	}
	err := c.Do(ctx, "cancelRun", map[string]any{"initializers": listed(names)}, &result)
	return result.Cancelled, err
}

// Unregister removes initializers that no worker provides any more, all or none.
func (c *Client) Unregister(ctx context.Context, names ...string) error {
	return c.Do(ctx, "unregister", map[string]any{"names": listed(names)}, nil)
}

// listed is names, which is encoded as an array even if it is empty.
func listed(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}

// Shutdown shuts the supervisor down. It doesn't wait until the supervisor has ended.
func (c *Client) Shutdown(ctx context.Context) error { return c.Do(ctx, "shutdown", nil, nil) }

// refusing is the peer of a connection that only sends requests.
type refusing struct{}

func (refusing) request(c *conn, id json.RawMessage, method string, _ members) {
	go refuse(c, id, codeMethodNotFound, fmt.Sprintf("unknown method %q", method))
}

func (refusing) notification(string, members) {}

// refuse answers a request of the supervisor with an error. The reader must not call it, because it may block.
func refuse(c *conn, id json.RawMessage, code int, text string) error {
	return c.send(context.Background(), message{ID: id, Error: &wireError{Code: code, Message: shortened(text)}})
}
