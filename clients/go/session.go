package initd

import (
	"context"
	"errors"
)

// session keeps one connection to a supervisor, and starts again on the next connection when it is lost. A Worker, a
// Subscription and a Hold have one each.
type session struct {
	options *Options
	peer    peer
	// begin registers, subscribes or holds on a new connection.
	begin func(context.Context, *conn) error
	// lost is called when a connection was lost, and no more of its messages will be handled.
	lost func(error)
	// settle, if it is set, waits until all work of a former connection has stopped.
	settle func()

	begun bool
	conn  *conn
}

// open connects and begins. It retries for as long as that can succeed, until ctx is done. The limit of the options is for
// the first connection: a session that has begun waits for the next supervisor, even if something else is at its socket.
func (s *session) open(ctx context.Context) error {
	limit := s.options.ConnectTimeout
	if s.begun {
		limit = Forever
	}
	waiting, err := s.options.await(ctx, limit)
	if err != nil {
		return err
	}
	defer waiting.end()
	if s.begun && waiting.pause() != nil {
		return ctx.Err()
	}
	for {
		c, err := waiting.dial(s.peer)
		if err == nil {
			if err = s.begin(ctx, c); err == nil {
				s.conn, s.begun = c, true
				return nil
			}
			c.close()
			s.settled()
		}
		passes := temporary(err)
		if s.begun {
			// The supervisor may not have noticed the end of the former connection yet.
			passes = passes || foreign(err) || errors.Is(err, ErrNameConflict)
		}
		if err = waiting.again(err, passes); err != nil {
			return err
		}
	}
}

// keep returns when ctx is done, or with an error when it can't start again. While ctx isn't done, s.conn is replaced.
func (s *session) keep(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.conn.ended:
		}
		err := s.conn.reason()
		s.conn.close()
		s.options.Logger.Printf("%s; connecting again", bare(err))
		s.lost(err)
		s.settled()
		if err := s.open(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
}

func (s *session) settled() {
	if s.settle != nil {
		s.settle()
	}
}
