package initd

import (
	"context"
	"encoding/json"
	"fmt"
)

// eventsKept is how many events wait for the receiver. Further events stay with the supervisor, up to its own limit.
const eventsKept = 100

// Subscription receives events. A subscription has a connection of its own, and starts again with a snapshot when that was lost.
type Subscription struct {
	refusing
	ctx    context.Context
	cancel context.CancelFunc
	events chan Event
	ended  chan struct{}
	err    error
}

// Subscribe subscribes to topics; without any, to TopicLaunch, TopicActive and TopicComposite. The subscription ends when
// [Subscription.Close] is called, ctx is done, or the client is closed.
func (c *Client) Subscribe(ctx context.Context, topics ...Topic) (*Subscription, error) {
	if !c.join() {
		return nil, ErrClosed
	}
	ctx, cancel := c.during(ctx)
	s := &Subscription{ctx: ctx, cancel: cancel, events: make(chan Event, eventsKept), ended: make(chan struct{})}
	keeper := &session{options: c.options, peer: s}
	keeper.begin = func(ctx context.Context, connection *conn) error { return s.begin(ctx, connection, topics) }
	keeper.lost = func(err error) { s.deliver(Event{Topic: TopicLost, Err: err}) }
	if err := keeper.open(ctx); err != nil {
		cancel()
		c.users.Done()
		return nil, c.closedOr(err)
	}
	go func() {
		defer c.users.Done()
		defer close(s.events)
		defer close(s.ended) // Err is set first, so it has the reason when the channel is closed.
		defer cancel()
		s.err = keeper.keep(ctx)
		keeper.conn.close()
	}()
	return s, nil
}

func (s *Subscription) begin(ctx context.Context, c *conn, topics []Topic) error {
	params := map[string]any{}
	if len(topics) > 0 {
		params["topics"] = topics
	}
	var bad error
	err := c.requestThen(ctx, "subscribe", params, nil, func(result json.RawMessage) {
		// On the reader: the events that follow come after the snapshot.
		var answer struct {
			Snapshot *Status `json:"snapshot"`
		}
		if err := json.Unmarshal(result, &answer); err != nil || answer.Snapshot == nil {
			bad = fmt.Errorf("%w: the answer to subscribe has no snapshot", ErrProtocol)
			return
		}
		snapshot := answer.Snapshot
		s.deliver(Event{Topic: TopicSnapshot, Seq: snapshot.Seq, Time: snapshot.Time, Snapshot: snapshot, Raw: result})
	})
	if err == nil {
		err = bad
	}
	return err
}

// notification is called by the reader. While the receiver is slow, no message is read, and the supervisor keeps the events; it drops them
// beyond its limit, and says so with lagged.
func (s *Subscription) notification(method string, params members) {
	if method == "event" {
		s.deliver(decodeEvent(params))
	}
}

func (s *Subscription) deliver(e Event) {
	select {
	case s.events <- e:
	case <-s.ctx.Done():
	}
}

// Events returns the channel of the events. The first one is a snapshot. The channel is closed when the subscription has
// ended.
func (s *Subscription) Events() <-chan Event { return s.events }

// Close ends the subscription, and waits until it has ended. Further calls have no effect.
func (s *Subscription) Close() error {
	s.cancel()
	<-s.ended
	return nil
}

// Err returns the reason if the subscription has ended without a call of Close: the supervisor refused it after a lost connection. Call it
// when the channel is closed.
func (s *Subscription) Err() error {
	select {
	case <-s.ended:
		return s.err
	default:
		return nil
	}
}
