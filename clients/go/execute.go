package initd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
)

// errNoReturn is the error of a handler that has called runtime.Goexit.
var errNoReturn = errors.New("the handler ended without returning")

// execute runs a handler, and answers once, even if it panics.
func (w *Worker) execute(id json.RawMessage, run *Run) {
	defer w.active.Done()
	w.answers.RLock() // An answer may be the reason for this run: first its OnAnswer returns.
	w.answers.RUnlock()
	var result runResult
	err, text := errNoReturn, errNoReturn.Error()
	defer func() { w.answer(id, run, result, err, text) }()
	defer func() {
		if value := recover(); value != nil {
			text = fmt.Sprintf("panic: %v", value)
			err = errors.New(text)
			w.options.Logger.Printf("%s panicked in run %d: %v\n%s", run.Initializer, run.Number, value, debug.Stack())
		}
	}()
	var output any
	if output, err = w.handlers[run.Initializer](run.ctx, run); err == nil {
		result, err = encodeOutput(output)
	}
	if err != nil {
		text = failureText(err) // The text is made here, because the method of an error may also panic.
	}
}

func (w *Worker) answer(id json.RawMessage, run *Run, result runResult, err error, text string) {
	cancelled := run.finish()
	w.mu.Lock()
	delete(w.runs, run) // Before the answer: the supervisor may then start the next run of the initializer.
	w.mu.Unlock()

	w.answers.Lock()
	defer w.answers.Unlock()
	var lost error
	switch {
	case cancelled:
		err = context.Canceled
		lost = refuse(run.conn, id, codeCancelled, "cancelled")
	case err == nil:
		lost = run.conn.send(context.Background(), message{ID: id, Result: result})
		if errors.Is(lost, ErrTooLarge) {
			err = fmt.Errorf("cannot hand over the output: it has %d bytes as JSON, and the supervisor's limit frameBytes is %d for a whole message; "+
				"an output has at most 64 KiB, unless the supervisor's limit outputBytes differs; write it to a file, and hand over its path",
				len(result.Output), run.conn.limit.Load())
			lost = refuse(run.conn, id, codeRunFailed, err.Error())
		}
	default:
		lost = refuse(run.conn, id, codeRunFailed, text)
	}
	if lost == nil && w.options.OnAnswer != nil {
		w.options.OnAnswer(run, err)
	}
}

func failureText(err error) string {
	if text := err.Error(); text != "" {
		return text
	}
	return fmt.Sprintf("an error of type %T", err)
}
