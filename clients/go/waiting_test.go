package initd

import (
	"context"
	"errors"
	"log"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// lines is a writer whose lines can be received.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// heard returns the lines that the options' logger writes.
func heard(options *Options) lines {
	told := make(lines, 10)
	options.Logger = log.New(told, "", 0)
	return told
}

func TestTheDefaultLimits(t *testing.T) {
	if limit := NewClient(nil).options.ConnectTimeout; limit != 30*time.Second {
		t.Errorf("a client waits %v", limit)
	}
	if limit := NewWorker(nil).options.ConnectTimeout; limit != Forever {
		t.Errorf("a worker waits %v", limit)
	}
	if grace := NewWorker(nil).options.CancelGrace; grace != 4500*time.Millisecond {
		t.Errorf("the grace is %v", grace)
	}
}

func TestAProgramThatWaitsForASupervisorSaysSo(t *testing.T) {
	t.Parallel()
	options := offline(t)
	told := heard(options)
	c := client(t, options)
	result := make(chan error, 1)
	begun := time.Now()
	go func() { result <- c.Ping(within(t)) }()
	line := soon(t, told)
	if !strings.Contains(line, "waiting for a supervisor at") || !strings.Contains(line, options.Path) {
		t.Errorf("it says %q", line)
	}
	if waited := time.Since(begun); waited < quietTime {
		t.Errorf("it says so after %v", waited)
	}
	listen(t, options, func(p *fakePeer) { p.greet(); p.reply("ping", object{}) })
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
}

func TestAProgramSaysOnceThatItWaitsAlsoWhileAnAttemptHangs(t *testing.T) {
	t.Parallel()
	options := offline(t)
	told := heard(options)
	listen(t, options,
		func(p *fakePeer) {
			p.expect("hello")
			select {
			case line := <-told:
				require(strings.Contains(line, "hasn't answered"), "it says %q", line)
			case <-time.After(deadline / 2): // Less than helloTimeout.
				panic("it says nothing")
			}
		},
		func(p *fakePeer) {
			p.expect("hello")
			select {
			case line := <-told:
				panic("then it says " + line)
			case <-time.After(3 * quietTime / 2):
			}
		},
		func(p *fakePeer) { p.greet(); p.reply("ping", object{}) },
	)
	if err := client(t, options).Ping(within(t)); err != nil {
		t.Error(err)
	}
}

func TestNoSupervisorBeforeTheDeadline(t *testing.T) {
	options := offline(t)
	c := client(t, options)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := c.Status(ctx)
	if !errors.Is(err, ErrNoSupervisor) || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(err.Error(), options.Path) || !strings.Contains(err.Error(), "start initd") {
		t.Errorf("the error is %v", err)
	}
}

func TestNoSupervisorBeforeTheLimit(t *testing.T) {
	options := offline(t)
	options.ConnectTimeout = 20 * time.Millisecond
	c := client(t, options)
	w := worker(options)
	w.Handle(Initializer{Name: "a"}, nothing)
	subscribe := func() error { _, err := c.Subscribe(within(t)); return err }
	hold := func() error { _, err := c.Hold(within(t)); return err }
	for name, begin := range map[string]func() error{
		"a request":      func() error { return c.Ping(within(t)) },
		"a subscription": subscribe,
		"a hold":         hold,
		"a worker":       func() error { return w.Run(within(t)) },
	} {
		if err := begin(); !errors.Is(err, ErrNoSupervisor) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheLimitCountsWhileAnotherRequestConnects(t *testing.T) {
	options := offline(t)
	options.ConnectTimeout = 20 * time.Millisecond
	c := client(t, options)
	c.turn <- struct{}{} // The test acts like another request that connects.
	defer func() { <-c.turn }()
	if err := c.Ping(within(t)); !errors.Is(err, ErrNoSupervisor) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}

func TestADeniedPermissionEndsTheWait(t *testing.T) {
	denied := &noSupervisor{path: "/initd.sock", cause: os.NewSyscallError("connect", syscall.EACCES)}
	if temporary(denied) || !temporary(&noSupervisor{path: "/initd.sock", cause: os.ErrNotExist}) {
		t.Error("another attempt can't succeed")
	}
}

func TestOneAttempt(t *testing.T) {
	options := fake(t, func(p *fakePeer) {
		p.refuse("hello", -32006, "the supervisor shuts down", object{"code": "shuttingDown"})
	})
	options.ConnectTimeout = OneAttempt
	if err := client(t, options).Ping(within(t)); !errors.Is(err, ErrShuttingDown) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}
