package initd_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os/signal"
	"syscall"
	"time"

	initd "github.com/appinitializers/appinitializers/clients/go"
)

// The examples run with a supervisor of the test, at $INITD_SOCKET.

func ExampleWorker() {
	ctx, stop := context.WithCancel(context.Background())
	worker := initd.NewWorker(&initd.WorkerOptions{
		Options:  initd.Options{Name: "shelf-worker"},
		OnAnswer: func(*initd.Run, error) { stop() }, // A program would run until a signal.
	})
	worker.Handle(initd.Initializer{Name: "pick-port"}, func(ctx context.Context, run *initd.Run) (any, error) {
		fmt.Printf("attempt %d of %s\n", run.Attempt, run.Initializer)
		return 8080, nil
	})
	if err := worker.Run(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: attempt 1 of pick-port
}

// A program runs its worker until SIGTERM or SIGINT.
func ExampleWorker_Run() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-ctx.Done()
		stop() // A second signal ends the process at once.
	}()
	worker := initd.NewWorker(nil)
	worker.Handle(initd.Initializer{Name: "catalogue"}, func(ctx context.Context, run *initd.Run) (any, error) {
		return nil, nil
	})
	if err := worker.Run(ctx); err != nil {
		log.Fatal(err)
	}
}

func ExampleWorker_Handle() {
	worker := initd.NewWorker(nil)
	worker.Handle(initd.Initializer{
		Name:         "favorites",
		Priority:     initd.AppActive,
		Dependencies: []string{"catalogue"},
		Timeout:      30 * time.Second,
		Retry:        initd.Retry{Attempts: 3, Delay: time.Second},
	}, func(ctx context.Context, run *initd.Run) (any, error) {
		select {
		case <-time.After(time.Second): // the work
			return nil, nil
		case <-ctx.Done(): // The run was cancelled.
			return nil, ctx.Err()
		}
	})
}

func ExampleSecret() {
	password := func(ctx context.Context, run *initd.Run) (any, error) {
		return initd.Secret("correct horse"), nil
	}
	initd.NewWorker(nil).Handle(initd.Initializer{Name: "password"}, password)
}

func ExampleClient_Wait() {
	client := initd.NewClient(nil)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	state, err := client.Wait(ctx, initd.WaitReady())
	if errors.Is(err, context.DeadlineExceeded) {
		log.Fatal("it isn't ready yet")
	} else if err != nil {
		log.Fatal(err)
	}
	fmt.Println(state.Outcome)
	// Output: complete
}

func ExampleClient_Activate() {
	ctx := context.Background()
	client := initd.NewClient(nil)
	defer client.Close()

	requested, err := client.Activate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	state, err := client.Wait(ctx, initd.WaitPass(requested.Pass))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("pass %d is %s\n", state.Pass, state.Outcome)
	// Output: pass 2 is complete
}

func ExampleClient_Hold() {
	ctx := context.Background()
	client := initd.NewClient(nil)
	defer client.Close()

	hold, err := client.Hold(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer hold.Release(ctx)
	fmt.Println("the app is active until Release")
	// Output: the app is active until Release
}

func ExampleClient_Subscribe() {
	ctx := context.Background()
	client := initd.NewClient(nil)
	defer client.Close()

	subscription, err := client.Subscribe(ctx, initd.TopicPass, initd.TopicLifecycle)
	if err != nil {
		log.Fatal(err)
	}
	defer subscription.Close()
	var status initd.Status
	for event := range subscription.Events() {
		status.Apply(event)
		switch event.Topic {
		case initd.TopicSnapshot:
			fmt.Println("the app is", status.Lifecycle)
		case initd.TopicPass:
			fmt.Println("pass", event.Pass, event.PassStatus)
			subscription.Close() // The call closes the channel.
		}
	}
	if err := subscription.Err(); err != nil { // The subscription has ended without a call of Close.
		log.Fatal(err)
	}
	// Output:
	// the app is inactive
	// pass 2 started
}

func ExampleError() {
	client := initd.NewClient(nil)
	defer client.Close()

	_, err := client.Wait(context.Background(), initd.WaitInitializer("prices"))
	var refused *initd.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Code, refused.Word)
	}
	fmt.Println(errors.Is(err, initd.ErrUnknownInitializer))
	// Output:
	// -32004 unknownInitializer
	// true
}
