package initd

import "context"

// Hold keeps the app active. A hold has a connection of its own, and holds again when that was lost.
type Hold struct {
	// Requested is the answer to the first activation.
	Requested Requested

	cancel context.CancelFunc
	ended  chan struct{}
}

// Hold activates the app, and keeps it active until [Hold.Release] is called, ctx is done, or the client is closed. If it was the last
// hold, and no client has activated the app without one, the app is then deactivated.
//
// When Deactivate is called, all holds end: the app stays inactive, even if this one isn't released.
func (c *Client) Hold(ctx context.Context) (*Hold, error) {
	if !c.join() {
		return nil, ErrClosed
	}
	ctx, cancel := c.during(ctx)
	h := &Hold{cancel: cancel, ended: make(chan struct{})}
	s := &session{options: c.options, peer: refusing{}, lost: func(error) {}}
	s.begin = func(ctx context.Context, connection *conn) error {
		var requested Requested
		err := connection.request(ctx, "activate", map[string]bool{"hold": true}, &requested)
		if !s.begun {
			h.Requested = requested
		}
		return err
	}
	if err := s.open(ctx); err != nil {
		cancel()
		c.users.Done()
		return nil, c.closedOr(err)
	}
	go func() {
		defer c.users.Done()
		defer close(h.ended)
		defer cancel()
		if err := s.keep(ctx); err != nil {
			c.options.Logger.Printf("cannot hold the app active any more: %s", bare(err))
		}
		release(s.conn)
	}()
	return h, nil
}

// release ends a hold. The supervisor confirms that; if it doesn't in time, the end of the connection does the same.
func release(c *conn) {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	_ = c.request(ctx, "release", nil, nil)
	c.close()
}

// Release ends the hold, and returns when the supervisor has confirmed that, or when ctx is done. Further calls have no
// effect.
func (h *Hold) Release(ctx context.Context) error {
	h.cancel()
	select {
	case <-h.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
