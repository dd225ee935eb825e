package initd

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestAWaitBeyondItsDeadlineHasTheStatus(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		params, id := p.expect("wait")
		timeout, _ := params["timeout"].(float64)
		require(timeout > 0 && timeout <= 0.2, "the timeout is %v", timeout)
		<-ctx.Done() // The answer comes after the deadline.
		p.send(object{"id": id, "error": object{"code": -32003, "message": "timed out", "data": object{"code": "timeout", "status": object{"lifecycle": "inactive"}}}})
		p.expectEnd()
	}))
	if err := c.Ping(canceled()); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: %v", err)
	}
	_, err := c.Wait(ctx, WaitReady())
	var refused *Error
	if !errors.As(err, &refused) || refused.Status() == nil || refused.Status().Lifecycle != LifecycleInactive {
		t.Errorf("the error is %#v", err)
	}
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrTimeout) {
		t.Errorf("%v isn't a timeout", err)
	}
	c.Close()
}

func TestAWaitEndsThoughTheSupervisorHasStoppedAnswering(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	defer close(ended)
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		p.expect("wait")
		<-ended
	}))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	result := make(chan error, 1)
	go func() {
		_, err := c.Wait(ctx, WaitReady())
		result <- err
	}()
	if err := soon(t, result); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "doesn't answer") {
		t.Errorf("the error is %v", err)
	}
}

func TestACancelledRequestReturnsAndItsAnswerIsIgnored(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		_, id := p.expect("wait")
		cancel()
		_, next := p.expect("ping")
		p.send(object{"id": id, "result": object{"state": "complete"}})
		p.send(object{"id": next, "result": object{}})
		p.expectEnd()
	}))
	if _, err := c.Wait(ctx, WaitReady()); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if err := c.Ping(within(t)); err != nil {
		t.Error(err)
	}
	c.Close()
}
