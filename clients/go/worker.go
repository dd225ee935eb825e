package initd

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// farewell is how long a supervisor may take to confirm that this side leaves.
const farewell = time.Second

// Handler executes a run. Returning a nil error means success. The value, if it isn't nil, is the output for the dependents: any value that
// package encoding/json can encode, to at most 64 KiB unless the supervisor's limit outputBytes differs. An error fails the run with its
// message.
//
// When the run is cancelled, ctx is done. Then stop the work, and return; the result doesn't count any more. No other run starts in its
// place before.
//
// Each run has its own goroutine, so a handler may block. If it panics, the run fails with the value of the panic.
type Handler func(ctx context.Context, run *Run) (output any, err error)

// Worker provides initializers to a supervisor. Declare them with [Worker.Handle], then call [Worker.Run].
type Worker struct {
	options      *WorkerOptions
	declarations []declaration
	handlers     map[string]Handler

	mu      sync.Mutex
	begun   bool
	leaving bool
	runs    map[*Run]struct{}
	active  sync.WaitGroup
	answers sync.RWMutex // Locked while a run is answered.
}

// NewWorker returns a worker. Nil options are the defaults.
func NewWorker(options *WorkerOptions) *Worker {
	return &Worker{options: options.complete(), handlers: map[string]Handler{}, runs: map[*Run]struct{}{}}
}

// Handle declares an initializer, and the handler that executes it. It panics if a member of the initializer is wrong, if the
// handler is nil, if the name is already declared, and if the worker has been started.
func (w *Worker) Handle(initializer Initializer, handler Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := initializer.Name
	fault := initializer.fault()
	switch {
	case fault != "":
	case handler == nil:
		fault = "it has no handler"
	case w.handlers[name] != nil:
		fault = "it is already declared; choose another name"
	case w.begun:
		fault = "the worker has been started; declare it before Run"
	}
	if fault != "" {
		panic(fmt.Sprintf("initd: cannot declare %q: %s", name, fault))
	}
	w.handlers[name] = handler
	w.declarations = append(w.declarations, initializer.declaration())
}

// Run registers the initializers, and executes their runs until ctx is done. Then it unregisters them, cancels the runs, answers each run
// whose handler returns, and returns nil once all handlers have returned. After [WorkerOptions].CancelGrace it doesn't wait any longer: it
// disconnects, and the supervisor counts the runs that are left as lost. Their handlers continue, so the program should then exit.
//
// Run waits for a supervisor that isn't running yet; see [Options].ConnectTimeout. If the connection is lost, it cancels the
// runs, waits for their handlers, and registers again as soon as a supervisor answers. It returns an error if the supervisor
// refuses the registration, or if no initializer was declared. A worker runs once.
func (w *Worker) Run(ctx context.Context) error {
	w.mu.Lock()
	if w.begun {
		w.mu.Unlock()
		return fmt.Errorf("initd: cannot run a worker twice; make another one")
	}
	if w.declarations == nil {
		w.mu.Unlock()
		return fmt.Errorf("initd: cannot run a worker without initializers; declare one with Handle before Run")
	}
	w.begun = true
	w.mu.Unlock()

	grace, cancel := outlasting(ctx, w.options.CancelGrace, always)
	defer cancel()
	s := &session{options: &w.options.Options, peer: w, begin: w.register, lost: w.lost}
	s.settle = func() {
		w.stopAll(ReasonLost)
		w.quiet(grace)
	}
	err := s.open(ctx)
	if err == nil {
		err = s.keep(ctx)
		w.leave(grace, s.conn)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (w *Worker) register(ctx context.Context, c *conn) error {
	params := map[string]any{"initializers": w.declarations}
	// Even if ctx is done in the meantime, the answer says whether there are names to unregister.
	ctx, cancel := outlasting(ctx, farewell, always)
	defer cancel()
	return c.requestThen(ctx, "register", params, nil, func(json.RawMessage) {
		// The reader calls it, so it comes before the first run.
		if w.options.OnRegister != nil {
			w.options.OnRegister()
		}
	})
}

func (w *Worker) lost(err error) {
	if w.options.OnLost != nil {
		w.options.OnLost(err)
	}
}

// leave unregisters, so the supervisor cancels the runs and starts no further ones. It returns when all handlers have
// returned, or when grace is done.
func (w *Worker) leave(grace context.Context, c *conn) {
	ctx, cancel := context.WithTimeout(grace, farewell)
	defer cancel()
	names := make([]string, len(w.declarations))
	for i, each := range w.declarations {
		names[i] = each.Name
	}
	_ = c.request(ctx, "unregister", map[string]any{"names": names}, nil) // The end of the connection does the same.
	w.mu.Lock()
	w.leaving = true
	w.mu.Unlock()
	w.stopAll(ReasonUnregistered)
	w.quiet(grace)
	for _, run := range w.open() {
		w.options.Logger.Printf("run %d of %s has no answer: its handler hasn't returned within %v after ctx was done", run.Number, run.Initializer, w.options.CancelGrace)
	}
	c.close()
}

// quiet returns when all handlers have returned, or when grace is done.
func (w *Worker) quiet(grace context.Context) {
	returned := make(chan struct{})
	go func() {
		w.active.Wait()
		close(returned)
	}()
	select {
	case <-returned:
	case <-grace.Done():
	}
}

func (w *Worker) stopAll(reason Reason) {
	for _, run := range w.open() {
		run.stop(reason)
	}
}

func (w *Worker) open() []*Run {
	w.mu.Lock()
	defer w.mu.Unlock()
	runs := make([]*Run, 0, len(w.runs))
	for run := range w.runs {
		runs = append(runs, run)
	}
	return runs
}

// request is called by the reader.
func (w *Worker) request(c *conn, id json.RawMessage, method string, params members) {
	if method != "run" {
		go refuse(c, id, codeMethodNotFound, fmt.Sprintf("unknown method %q", method))
		return
	}
	run, err := decodeRun(params)
	if err == nil && w.handlers[run.Initializer] == nil {
		err = fmt.Errorf("cannot run %q: this worker doesn't provide it", run.Initializer)
	}
	if err != nil {
		go refuse(c, id, codeInvalidParams, err.Error())
		return
	}
	run.conn, run.logger = c, w.options.Logger
	run.ctx, run.cancel = context.WithCancel(context.Background())
	if !w.begin(run) {
		go refuse(c, id, codeRunFailed, fmt.Sprintf("cannot run %s: this worker is stopping", run.Initializer))
		return
	}
	go w.execute(id, run)
}

// notification is called by the reader.
func (w *Worker) notification(method string, params members) {
	var number int64
	if method != "cancel" || json.Unmarshal(params["run"], &number) != nil {
		return
	}
	for _, run := range w.open() {
		if run.Number == number {
			run.stop(Reason(params.text("reason")))
		}
	}
}

func (w *Worker) begin(run *Run) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.leaving {
		return false
	}
	w.runs[run] = struct{}{}
	w.active.Add(1)
	return true
}
