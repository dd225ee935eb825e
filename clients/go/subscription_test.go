package initd

import (
	"context"
	"errors"
	"reflect"
	"testing"
)

// topics receives events until there are count, and returns their topics.
func topics(t *testing.T, s *Subscription, count int) []Topic {
	t.Helper()
	got := make([]Topic, count)
	for i := range got {
		got[i] = soon(t, s.Events()).Topic
	}
	return got
}

func TestASubscriptionHasASnapshotAndThenEvents(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		params, id := p.expect("subscribe")
		require(reflect.DeepEqual(params, object{"topics": []any{"pass", "initializer"}}), "subscribe: %v", params)
		p.send(object{"id": id, "result": object{"snapshot": object{"seq": 7, "instance": "one", "lifecycle": "inactive"}}})
		p.event(object{"seq": 8, "time": 1.5, "topic": "pass", "pass": 2, "phase": "active", "status": "started"})
		p.event(object{"seq": 9, "topic": "tide", "tide": object{"is": "high"}})
		p.event(object{"seq": 10, "topic": "log", "initializer": "a", "line": "x\x1b"})
		p.event(object{"topic": "shutdown"})
		p.expectEnd()
	}))
	s, err := c.Subscribe(within(t), TopicPass, TopicInitializer)
	if err != nil {
		t.Fatal(err)
	}
	if e := soon(t, s.Events()); e.Topic != TopicSnapshot || e.Seq != 7 || e.Snapshot.Instance != "one" {
		t.Errorf("the first event is %+v", e)
	}
	if e := soon(t, s.Events()); e.Topic != TopicPass || e.Seq != 8 || e.Pass != 2 || e.Phase != PhaseActive || e.PassStatus != PassStarted || e.Time.UnixMilli() != 1500 {
		t.Errorf("the second event is %+v", e)
	}
	if e := soon(t, s.Events()); e.Topic != "tide" || string(e.Raw) != `{"seq":9,"tide":{"is":"high"},"topic":"tide"}` {
		t.Errorf("the third event is %+v", e)
	}
	if e := soon(t, s.Events()); e.Topic != TopicLog || e.Line.Initializer != "a" || e.Line.Line != "x\x1b" {
		t.Errorf("the fourth event is %+v", e)
	}
	if e := soon(t, s.Events()); e.Topic != TopicShutdown {
		t.Errorf("the fifth event is %+v", e)
	}
	s.Close()
	s.Close()
	if _, open := <-s.Events(); open || s.Err() != nil {
		t.Errorf("after Close: open %v, %v", open, s.Err())
	}
}

func TestASubscriptionBeginsAnewAfterALoss(t *testing.T) {
	begin := func(p *fakePeer, instance string) {
		p.greet()
		p.reply("subscribe", object{"snapshot": object{"seq": 1, "instance": instance}})
	}
	c := client(t, fake(t,
		func(p *fakePeer) {
			begin(p, "one")
			p.event(object{"seq": 2, "topic": "pass"})
		},
		func(p *fakePeer) {},
		func(p *fakePeer) {
			begin(p, "two")
			p.event(object{"topic": "lagged", "dropped": 12})
			p.event(object{"topic": "snapshot", "snapshot": object{"seq": 30, "instance": "two"}})
			p.event(object{"seq": 31, "topic": "pass"})
			p.expectEnd()
		},
	))
	s, err := c.Subscribe(within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := []Topic{TopicSnapshot, TopicPass, TopicLost, TopicSnapshot, TopicLagged, TopicSnapshot, TopicPass}
	if got := topics(t, s, len(want)); !reflect.DeepEqual(got, want) {
		t.Errorf("the events are %v", got)
	}
}

func TestASubscriptionThatIsRefusedLaterEndsWithTheReason(t *testing.T) {
	const count = 200 // The channel is closed and Err is asked at the same moment.
	begin := func(p *fakePeer) { p.greet(); p.reply("subscribe", object{"snapshot": object{}}) }
	refuse := func(p *fakePeer) { p.refuse("hello", -32001, "unsupported", object{"code": "unsupportedProtocol"}) }
	scripts := make([]func(*fakePeer), 0, 2*count)
	for i := 0; i < count; i++ {
		scripts = append(scripts, begin, refuse)
	}
	c := client(t, fake(t, scripts...))
	for i := 0; i < count; i++ {
		s, err := c.Subscribe(within(t))
		if err != nil {
			t.Fatal(err)
		}
		for open := true; open; {
			select {
			case _, open = <-s.Events():
			default: // The loop doesn't sleep, so it sees the end at once.
			}
		}
		if !errors.Is(s.Err(), ErrUnsupportedProtocol) {
			t.Fatalf("the reason of subscription %d is %v", i, s.Err())
		}
	}
}

func TestARefusedSubscriptionIsAnError(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		p.refuse("subscribe", -32602, "params.topics[0]: unknown topic", nil)
	}))
	var refused *Error
	if _, err := c.Subscribe(within(t), "tides"); !errors.As(err, &refused) || refused.Code != codeInvalidParams {
		t.Errorf("the error is %v", err)
	}
}

func TestASlowReceiverIsFreeToCloseAndLosesNothingBefore(t *testing.T) {
	const count = 10 * eventsKept
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		p.reply("subscribe", object{"snapshot": object{"seq": 0}})
		for i := 1; i <= count; i++ {
			if !p.trySend(object{"method": "event", "params": object{"seq": i, "topic": "pass"}}) {
				return // The receiver has closed the subscription.
			}
		}
		p.expectEnd()
	}))
	ctx, cancel := context.WithCancel(within(t))
	s, err := c.Subscribe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < count/2; i++ {
		if e := soon(t, s.Events()); e.Seq != int64(i) {
			t.Fatalf("event %d has the number %d", i, e.Seq)
		}
	}
	cancel()
	<-s.ended
}

func TestEventsAppliedToASnapshotGiveTheState(t *testing.T) {
	initializer := func(name string, status Activity) *InitializerStatus {
		return &InitializerStatus{Name: name, Status: status}
	}
	snapshot := &Status{Seq: 3, Initializers: []InitializerStatus{*initializer("a", "idle"), *initializer("b", "idle")}}
	var s Status
	for _, e := range []Event{
		{Topic: TopicSnapshot, Seq: 3, Snapshot: snapshot},
		{Topic: TopicInitializer, Seq: 4, Initializer: initializer("a", "running")},
		{Topic: TopicInitializer, Seq: 5, Initializer: initializer("c", "idle")},
		{Topic: TopicInitializer, Seq: 6, Initializer: initializer("b", "idle"), Removed: true},
		{Topic: TopicInitializer, Seq: 7, Initializer: initializer("z", "idle"), Removed: true},
		{Topic: TopicState, Seq: 8, Lifecycle: LifecycleActive, Launch: State{Outcome: OutcomeComplete}},
		{Topic: "tide", Seq: 9},
	} {
		s.Apply(e)
	}
	if len(s.Initializers) != 2 || s.Initializer("a").Status != ActivityRunning || s.Initializer("b") != nil || s.Initializer("c") == nil {
		t.Errorf("the initializers are %+v", s.Initializers)
	}
	if s.Seq != 9 || s.Lifecycle != LifecycleActive || s.Launch.Outcome != OutcomeComplete {
		t.Errorf("the status is %+v", s)
	}
	if snapshot.Initializers[0].Status != "idle" || len(snapshot.Initializers) != 2 {
		t.Error("the snapshot was changed")
	}
}
