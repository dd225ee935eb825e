package initd

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"
)

// client returns a client of a fake supervisor. It is closed before the fake checks its scripts.
func client(t *testing.T, options *Options) *Client {
	t.Helper()
	c := NewClient(options)
	t.Cleanup(func() { c.Close() })
	return c
}

// expect answers a request that must have these params.
func expect(p *fakePeer, method string, want, result object) {
	got := p.reply(method, result)
	require(len(got) == 0 && len(want) == 0 || reflect.DeepEqual(got, want), "%s: got %v, want %v", method, got, want)
}

func TestRequestsHaveTheirParams(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		hello := p.greet()
		require(reflect.DeepEqual(hello, object{"protocol": 1.0, "client": object{"name": "test", "version": "0"}}), "hello: %v", hello)
		expect(p, "ping", nil, object{})
		expect(p, "status", nil, object{"lifecycle": "active", "future": 1})
		expect(p, "launch", nil, object{"pass": 1, "launch": object{"state": "pending", "pass": 1}})
		expect(p, "activate", nil, object{"pass": 2, "active": object{"state": "pending", "pass": 2}})
		expect(p, "deactivate", object{"wait": false}, object{"cancelled": []string{"a"}})
		expect(p, "deactivate", object{"wait": true}, object{"cancelled": []string{}})
		wait := p.reply("wait", object{"state": "complete"})
		timeout, _ := wait["timeout"].(float64)
		require(wait["for"] == "ready" && timeout > 0 && timeout <= deadline.Seconds(), "wait: %v", wait)
		expect(p, "wait", object{"pass": 7.0}, object{"state": "cancelled", "pass": 7})
		expect(p, "wait", object{"initializer": "a", "appear": true}, object{"state": "failed", "error": object{"code": "initializerFailed", "message": "a failed"}})
		expect(p, "logs", object{"initializer": "a", "limit": 3.0}, object{"lines": []object{{"time": 1.5, "line": "x"}}})
		expect(p, "history", object{"limit": 2.0, "usual": true}, object{"passes": []object{{"pass": 1, "duration": 0.5}}})
		expect(p, "rerun", object{"initializers": []any{"a", "b"}, "withDependents": false}, object{"passes": []int{3}})
		expect(p, "rerun", object{"initializers": []any{"a"}, "withDependents": true}, object{"passes": []int{3, 4}})
		expect(p, "cancelRun", object{"initializers": []any{"a", "b"}}, object{"cancelled": []string{"a", "b"}})
		expect(p, "cancelRun", object{"initializers": []any{}}, object{"cancelled": []string{}})
		expect(p, "unregister", object{"names": []any{"a", "b"}}, object{})
		expect(p, "reload", object{"dryRun": true}, object{"changed": []object{{"name": "a", "keys": []string{"command"}}}})
		expect(p, "shutdown", nil, object{})
		p.expectEnd()
	}))
	ctx := within(t)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(c.Ping(ctx))
	status, err := c.Status(ctx)
	ok(err)
	launched, err := c.Launch(ctx)
	ok(err)
	activated, err := c.Activate(ctx)
	ok(err)
	cancelled, err := c.Deactivate(ctx)
	ok(err)
	_, err = c.DeactivateAndWait(ctx)
	ok(err)
	if status.Lifecycle != LifecycleActive || launched.Launch.Pass != 1 || activated.Pass != 2 || !reflect.DeepEqual(cancelled, []string{"a"}) {
		t.Errorf("got %v %v %v %v", status, launched, activated, cancelled)
	}
	state, err := c.Wait(ctx, WaitReady())
	ok(err)
	ok(state.Err())
	state, err = c.Wait(context.Background(), WaitPass(7))
	ok(err)
	if state.Err() == nil {
		t.Error("a cancelled state has no error")
	}
	state, err = c.Wait(context.Background(), WaitAppearing("a"))
	ok(err)
	if got := state.Err(); got == nil || got.Error() != "initd: a failed" {
		t.Errorf("a failed state: %v", got)
	}
	lines, err := c.Logs(ctx, "a", 3)
	ok(err)
	history, err := c.History(ctx, HistoryQuery{Limit: 2, Usual: true})
	ok(err)
	if lines[0].Line != "x" || !lines[0].Time.Equal(time.Unix(1, 5e8)) || history.Passes[0].Duration.Duration != 500*time.Millisecond {
		t.Errorf("got %+v %+v", lines, history)
	}
	passes, err := c.Rerun(ctx, "a", "b")
	ok(err)
	all, err := c.RerunWithDependents(ctx, "a")
	ok(err)
	if !reflect.DeepEqual(passes, []int64{3}) || !reflect.DeepEqual(all, []int64{3, 4}) {
		t.Errorf("the passes are %v and %v", passes, all)
	}
	cancelled, err = c.Cancel(ctx, "a", "b")
	ok(err)
	if !reflect.DeepEqual(cancelled, []string{"a", "b"}) {
		t.Errorf("cancelled %v", cancelled)
	}
	_, err = c.Cancel(ctx)
	ok(err)
	ok(c.Unregister(ctx, "a", "b"))
	reloaded, err := c.Reload(ctx, ReloadOptions{DryRun: true})
	ok(err)
	if !reflect.DeepEqual(reloaded.Changed, []Redefined{{Name: "a", Keys: []string{"command"}}}) {
		t.Errorf("reloaded %+v", reloaded)
	}
	ok(c.Shutdown(ctx))
	ok(c.Close())
}

func TestARefusalHasItsCodeAndWord(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		p.refuse("wait", -32004, "no initializer is named nope", object{"code": "unknownInitializer"})
		p.refuse("status", -32602, "params", nil)
		p.expectEnd()
	}))
	_, err := c.Wait(within(t), WaitInitializer("nope"))
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != -32004 || refused.Word != "unknownInitializer" {
		t.Errorf("the error is %+v", err)
	}
	if !errors.Is(err, ErrUnknownInitializer) || errors.Is(err, ErrNameConflict) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v matches the wrong errors", err)
	}
	if _, err := c.Status(within(t)); err == nil || err.Error() != "initd: params (-32602)" {
		t.Errorf("the error is %v", err)
	}
	c.Close()
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestAnswersMayComeInAnyOrder(t *testing.T) {
	const count = 50
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		ids := make([]any, count)
		values := make([]any, count)
		for i := range ids {
			params, id := p.expect("ping")
			ids[i], values[i] = id, params
		}
		for i := count - 1; i >= 0; i-- {
			p.send(object{"id": ids[i], "result": values[i]})
		}
		p.expectEnd()
	}))
	var all sync.WaitGroup
	for i := 0; i < count; i++ {
		i := i
		all.Add(1)
		go func() {
			defer all.Done()
			var got struct{ I int }
			if err := c.Do(within(t), "ping", object{"i": i}, &got); err != nil || got.I != i {
				t.Errorf("ping %d = %d, %v", i, got.I, err)
			}
		}()
	}
	all.Wait()
	c.Close()
}

func TestALiveConnectionIsUsedAtOnce(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		p.reply("ping", object{})
		p.reply("status", object{})
		p.expectEnd()
	}))
	ctx := within(t)
	if err := c.Ping(ctx); err != nil {
		t.Fatal(err)
	}
	if count := testing.AllocsPerRun(1000, func() { _, _ = c.connection(ctx) }); count != 0 { // A goroutine or a timer has some.
		t.Errorf("it allocates %v times", count)
	}
	c.turn <- struct{}{} // The test acts like another request that connects.
	defer func() { <-c.turn }()
	if _, err := c.Status(ctx); err != nil {
		t.Error(err)
	}
	if _, err := c.connection(canceled()); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: %v", err)
	}
}

func TestALostConnectionFailsTheRequestAndTheNextOneConnectsAgain(t *testing.T) {
	c := client(t, fake(t,
		func(p *fakePeer) { p.greet(); p.expect("activate") },
		func(p *fakePeer) {},
		func(p *fakePeer) { p.greet(); p.reply("ping", object{}); p.expectEnd() },
	))
	if _, err := c.Activate(within(t)); !errors.Is(err, ErrConnectionLost) {
		t.Errorf("the error is %v", err)
	}
	if err := c.Ping(within(t)); err != nil {
		t.Error(err)
	}
	c.Close()
}

func TestAnAnswerThatIsFollowedByTheEndIsRead(t *testing.T) {
	const count = 300
	scripts := make([]func(*fakePeer), count)
	for i := range scripts {
		scripts[i] = func(p *fakePeer) { p.greet(); p.reply("ping", object{}) }
	}
	options := fake(t, scripts...)
	for i := 0; i < count; i++ {
		c := NewClient(options)
		if err := c.Ping(within(t)); err != nil {
			t.Errorf("connection %d: %v", i, err)
		}
		c.Close()
	}
}

func TestAnErrorWithoutIdIsTheReasonOfTheEnd(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		p.expect("hello")
		p.send(object{"id": nil, "error": object{"code": -32005, "message": "no role", "data": object{"code": "notPermitted"}}})
	}))
	if err := c.Ping(within(t)); !errors.Is(err, ErrNotPermitted) {
		t.Errorf("the error is %v", err)
	}
}

func TestARequestOfTheSupervisorIsRefused(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		p.send(object{"id": "x", "method": "ponder"})
		var ping any
		var refused bool
		for i := 0; i < 2; i++ { // The ping and the refusal may cross.
			if m := p.receive(); m["method"] == "ping" {
				ping = m["id"]
			} else {
				refused = m["id"] == "x" && m["error"].(object)["code"] == float64(codeMethodNotFound)
			}
		}
		p.send(object{"id": ping, "result": object{}})
		require(refused, "the request wasn't refused")
	}))
	if err := c.Ping(within(t)); err != nil {
		t.Error(err)
	}
}

func TestCloseEndsWhatIsInFlight(t *testing.T) {
	waiting := make(chan struct{})
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		p.expect("wait")
		close(waiting)
		p.expectEnd()
	}))
	result := make(chan error, 1)
	go func() {
		_, err := c.Wait(context.Background(), WaitReady())
		result <- err
	}()
	soon(t, waiting)
	c.Close()
	if err := soon(t, result); !errors.Is(err, ErrClosed) {
		t.Errorf("the error is %v", err)
	}
	if err := c.Ping(within(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := c.Subscribe(within(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("Subscribe after Close: %v", err)
	}
}

func TestCloseEndsAWaitForASupervisor(t *testing.T) {
	c := client(t, offline(t))
	result := make(chan error, 1)
	go func() { result <- c.Ping(context.Background()) }()
	for len(c.turn) == 0 { // The client is about to connect.
		time.Sleep(time.Millisecond)
	}
	c.Close()
	if err := soon(t, result); !errors.Is(err, ErrClosed) {
		t.Errorf("the error is %v", err)
	}
}

func TestLargeAnswersComeInPages(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		line := func(text string) object { return object{"time": 1, "line": text} }
		expect(p, "logs", object{"limit": 9.0}, object{"lines": []object{line("c")}, "more": true, "before": object{"line": 2}})
		expect(p, "logs", object{"limit": 9.0, "before": object{"line": 2.0}}, object{"lines": []object{line("a"), line("b")}})
		run := func(name string) []object { return []object{{"initializer": name}} }
		expect(p, "history", object{"limit": 9.0, "usual": true}, object{
			"passes": []object{{"pass": 2, "runs": run("b")}, {"pass": 3}}, "usual": []object{{"passes": 1}}, "more": true, "before": "x"})
		expect(p, "history", object{"limit": 9.0, "before": "x"}, object{"passes": []object{{"pass": 1}, {"pass": 2, "runs": run("a")}}})
		p.expectEnd()
	}))
	lines, err := c.Logs(within(t), "", 9)
	if err != nil || len(lines) != 3 || lines[0].Line != "a" || lines[2].Line != "c" {
		t.Error(lines, err)
	}
	history, err := c.History(within(t), HistoryQuery{Limit: 9, Usual: true})
	if err != nil || len(history.Passes) != 3 || len(history.Usual) != 1 || history.Passes[0].Number != 1 || len(history.Passes[1].Runs) != 2 ||
		history.Passes[1].Runs[0].Initializer != "a" || history.Passes[2].Number != 3 {
		t.Error(history, err)
	}
	c.Close()
}
