package initd

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// worker returns a worker with these options.
func worker(options *Options) *Worker { return NewWorker(&WorkerOptions{Options: *options}) }

// running runs the worker until the test ends or stop is called, and returns Run's result.
func running(t *testing.T, w *Worker) (stop context.CancelFunc, result <-chan error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended <- w.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		soon(t, done)
	})
	return stop, ended
}

// play runs a worker with the handlers of the initializers a, b, …, against a script that begins after register. Then it stops the
// worker, which must unregister.
func play(t *testing.T, script func(*fakePeer), handlers ...Handler) {
	t.Helper()
	var stop context.CancelFunc
	ready := make(chan struct{})
	w := worker(fake(t, func(p *fakePeer) {
		p.begin()
		script(p)
		<-ready
		stop()
		p.reply("unregister", object{})
		p.expectEnd()
	}))
	for i, handler := range handlers {
		w.Handle(Initializer{Name: string(rune('a' + i))}, handler)
	}
	stop, result := running(t, w)
	close(ready)
	if err := soon(t, result); err != nil {
		t.Errorf("Run = %v", err)
	}
}

func nothing(context.Context, *Run) (any, error) { return nil, nil }

// untilCancelled is a handler that ends only when it is cancelled.
func untilCancelled(ctx context.Context, _ *Run) (any, error) {
	<-ctx.Done()
	return "ignored", nil
}

func TestAWorkerRegistersItsDeclarationsAndUnregistersThemAtTheEnd(t *testing.T) {
	registered, unregistered := make(chan object, 1), make(chan object, 1)
	w := worker(fake(t, func(p *fakePeer) {
		registered <- p.begin()
		unregistered <- p.reply("unregister", object{})
		p.expectEnd()
	}))
	w.Handle(Initializer{Name: "plain"}, nothing)
	w.Handle(Initializer{
		Name:         "full",
		Priority:     AppActive,
		Dependencies: []string{"plain"},
		Timeout:      3 * time.Second,
		Retry:        Retry{Attempts: 3, Delay: time.Second / 2, Factor: 3, MaxDelay: 2 * time.Second},
		PerProcess:   true,
		Optional:     true,
		Description:  "everything",
	}, nothing)
	w.Handle(Initializer{Name: "independent", Dependencies: []string{}}, nothing)
	var stop context.CancelFunc
	began := make(chan struct{})
	w.options.OnRegister = func() { close(began) }
	stop, result := running(t, w)
	soon(t, began)
	stop()
	if err := soon(t, result); err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"plain"},{"dependencies":["plain"],"description":"everything","name":"full","optional":true,"perProcess":true,` +
		`"priority":"appActive","retry":{"attempts":3,"delay":0.5,"factor":3,"maxDelay":2},"timeout":3},{"dependencies":[],"name":"independent"}]`
	if got, _ := json.Marshal(soon(t, registered)["initializers"]); string(got) != want {
		t.Errorf("registered %s", got)
	}
	if names := soon(t, unregistered)["names"]; !reflect.DeepEqual(names, []any{"plain", "full", "independent"}) {
		t.Errorf("unregistered %v", names)
	}
}

func TestARunHasItsNumbersAndInputsAndHandsOverItsOutput(t *testing.T) {
	play(t, func(p *fakePeer) {
		p.run(7, "a", object{"pass": 3, "phase": "active", "attempt": 2, "timeout": 1.5, "fence": 9007199254740991, "traceparent": trace,
			"inputs": object{"port": 8080, "é": object{"deep": []int{1}}}, "future": true})
		p.expectResult(7, object{"output": object{"port": 8080.0}})
		p.run(8, "a", object{"phase": "of the moon"})
		p.expectFailure(8, codeRunFailed)
	}, func(_ context.Context, run *Run) (any, error) {
		if run.Number == 8 {
			return nil, run.Input("port", new(int))
		}
		numbers := []any{run.Number, run.Initializer, run.Pass, run.Phase, run.Attempt, run.Timeout, run.Fence, run.Traceparent}
		if want := []any{int64(7), "a", int64(3), PhaseActive, 2, 1500 * time.Millisecond, int64(9007199254740991), trace}; !reflect.DeepEqual(numbers, want) {
			t.Errorf("the run is %v", numbers)
		}
		var port int
		if err := run.Input("port", &port); err != nil || port != 8080 {
			t.Errorf("the input is %d, %v", port, err)
		}
		if err := run.Input("missing", &port); !errors.Is(err, ErrNoInput) {
			t.Errorf("a missing input: %v", err)
		}
		if err := run.Input("é", &port); err == nil {
			t.Error("an input of another type was decoded")
		}
		return map[string]int{"port": port}, nil
	})
}

// badError is an error that can't be asked for its text.
type badError struct{ text string }

func (e *badError) Error() string { return e.text }

func TestAFailureHasTheHandlersMessage(t *testing.T) {
	var none *badError
	for _, test := range []struct {
		want    string
		handler Handler
	}{
		{"boom", func(context.Context, *Run) (any, error) { return 1, errors.New("boom") }},
		{"panic: boom", func(context.Context, *Run) (any, error) { panic("boom") }},
		{"panic: runtime error: invalid memory address", func(context.Context, *Run) (any, error) { return nil, none }},
		{"an error of type *initd.badError", func(context.Context, *Run) (any, error) { return nil, &badError{} }},
		{"the handler ended without returning", func(context.Context, *Run) (any, error) { runtime.Goexit(); return nil, nil }},
		{"cannot hand over the output: a value of type chan int isn't JSON", func(context.Context, *Run) (any, error) { return make(chan int), nil }},
		{"cannot hand over the output: it has 1048578 bytes as JSON, and the supervisor's limit frameBytes is 1048576 for a whole message; " +
			"an output has at most 64 KiB, unless the supervisor's limit outputBytes differs; write it to a file, and hand over its path", func(context.Context, *Run) (any, error) { return strings.Repeat("x", 1<<20), nil }},
		{strings.Repeat("x", longestText), func(context.Context, *Run) (any, error) { return nil, errors.New(strings.Repeat("x", 2<<20)) }},
	} {
		test := test
		play(t, func(p *fakePeer) {
			p.run(1, "a", nil)
			got := p.expectFailure(1, codeRunFailed)
			require(strings.HasPrefix(got, test.want), "the message is %q, want %q", got, test.want)
		}, test.handler)
	}
}

func TestWhatAWorkerDoesNotProvideIsRefused(t *testing.T) {
	play(t, func(p *fakePeer) {
		p.run(1, "stranger", nil)
		text := p.expectFailure(1, codeInvalidParams)
		require(strings.Contains(text, "stranger"), "the message is %q", text)
		p.run(2, "a", object{"attempt": "first"})
		p.expectFailure(2, codeInvalidParams)
		p.send(object{"id": "run-3", "method": "ponder", "params": object{}})
		p.expectFailure(3, codeMethodNotFound)
		p.send(object{"method": "weather", "params": object{"is": "fine"}})
		p.run(4, "a", nil)
		p.expectResult(4, object{})
	}, nothing)
}

func TestAWorkerWithoutInitializersIsAnError(t *testing.T) {
	w := worker(offline(t))
	const want = "initd: cannot run a worker without initializers; declare one with Handle before Run"
	if err := w.Run(canceled()); err == nil || err.Error() != want {
		t.Fatalf("Run = %v", err)
	}
	w.Handle(Initializer{Name: "late"}, nothing) // It hasn't been started.
	if err := w.Run(canceled()); err != nil {
		t.Errorf("Run = %v", err)
	}
}
