// Command subject is driven by clients/conformance: it registers initializers, and prints a line for each event.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	initd "github.com/appinitializers/appinitializers/clients/go"
)

// cancelGrace is less than the two seconds within which SIGTERM ends the subject, even if a step blocks for longer.
const cancelGrace = 1500 * time.Millisecond

type subject struct {
	isWorker bool
	mu       sync.Mutex
}

// say prints a line at once.
func (s *subject) say(words ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(os.Stdout, words...)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-ctx.Done()
		stop() // A second signal ends the process at once.
	}()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: subject JSON")
		os.Exit(64)
	}
	var c config
	decoder := json.NewDecoder(bytes.NewReader([]byte(os.Args[1])))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		fmt.Fprintf(os.Stderr, "subject: cannot read the argument: %v\n", err)
		os.Exit(64)
	}
	if err := perform(ctx, c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func perform(ctx context.Context, c config) error {
	s := &subject{isWorker: len(c.Initializers) > 0}
	options := initd.Options{Name: c.Client, Version: "1"}
	client := initd.NewClient(&options)
	defer client.Close()
	if c.Subscribe != nil {
		go s.follow(ctx, client, c.Subscribe)
	}
	if !s.isWorker {
		s.perform(ctx, client, c.Calls)
		<-ctx.Done()
		return nil
	}
	var once sync.Once
	worker := initd.NewWorker(&initd.WorkerOptions{
		Options:     options,
		CancelGrace: cancelGrace,
		OnRegister: func() {
			s.say("connected")
			once.Do(func() { go s.perform(ctx, client, c.Calls) })
		},
		OnLost:   func(error) { s.say("lost") },
		OnAnswer: func(run *initd.Run, _ error) { s.say("done", run.Initializer, run.Number) },
	})
	for _, each := range c.Initializers {
		worker.Handle(each.declaration(), s.handler(each.Steps))
	}
	return worker.Run(ctx)
}
