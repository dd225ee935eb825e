package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	initd "github.com/appinitializers/appinitializers/clients/go"
)

// follow prints the events of a subscription.
func (s *subject) follow(ctx context.Context, client *initd.Client, topics []initd.Topic) {
	subscription, err := client.Subscribe(ctx, topics...)
	if err != nil {
		s.complain(ctx, "cannot subscribe", err)
		return
	}
	defer subscription.Close()
	for event := range subscription.Events() {
		switch event.Topic {
		case initd.TopicSnapshot:
			s.say("snapshot", event.Snapshot.Instance)
		case initd.TopicLagged:
			s.say("lagged", event.Dropped)
		case initd.TopicLost:
			if !s.isWorker { // Otherwise the worker says so.
				s.say("lost")
			}
		default:
			s.say("event", event.Topic)
		}
	}
	s.complain(ctx, "the subscription has ended", subscription.Err())
}

func (s *subject) complain(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(os.Stderr, "subject: %s: %v\n", what, err)
	}
}

// perform sends the requests of calls, in order.
func (s *subject) perform(ctx context.Context, client *initd.Client, calls []call) {
	for _, each := range calls {
		verb, err := s.call(ctx, client, each)
		var refused *initd.Error
		switch {
		case errors.As(err, &refused):
			s.say("call", verb, "refused", refused.Code, refused.Word)
		case err != nil:
			s.complain(ctx, "cannot "+verb, err)
		}
	}
}

func (s *subject) call(ctx context.Context, client *initd.Client, c call) (verb string, err error) {
	if c.Timeout != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout.duration())
		defer cancel()
	}
	switch {
	case c.Status:
		status, err := client.Status(ctx)
		if err == nil {
			s.say("call status", status.Lifecycle)
		}
		return "status", err
	case c.Activate:
		requested, err := client.Activate(ctx)
		if err == nil {
			s.say("call activate", requested.Pass)
		}
		return "activate", err
	case c.Deactivate:
		_, err := client.Deactivate(ctx)
		if err == nil {
			s.say("call deactivate")
		}
		return "deactivate", err
	case c.Wait != "" || c.WaitFor != "":
		state, err := client.Wait(ctx, target(c))
		if err == nil {
			s.say("call wait", state.Outcome)
		}
		return "wait", err
	case c.Hold != nil:
		return "hold", s.hold(ctx, client, c.Hold.duration())
	}
	return "call", errors.New("this call is unknown")
}

func target(c call) initd.Target {
	switch c.Wait {
	case "ready":
		return initd.WaitReady()
	case "launch":
		return initd.WaitLaunch()
	case "active":
		return initd.WaitActive()
	case "composite":
		return initd.WaitBoth()
	}
	return initd.WaitInitializer(c.WaitFor)
}

func (s *subject) hold(ctx context.Context, client *initd.Client, d time.Duration) error {
	hold, err := client.Hold(ctx)
	if err != nil {
		return err
	}
	s.say("call hold begun")
	sleep(ctx, d, 0)
	if err := hold.Release(ctx); err != nil {
		return err
	}
	s.say("call hold ended")
	return nil
}
