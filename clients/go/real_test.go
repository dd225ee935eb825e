package initd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// supervisor starts $INITD at the path of the options, and waits until it accepts connections.
func supervisor(t *testing.T, options *Options, arguments ...string) *exec.Cmd {
	t.Helper()
	program := os.Getenv("INITD")
	if program == "" {
		t.Skip("INITD isn't set")
	}
	initd := exec.Command(program, append([]string{"--socket", options.Path}, arguments...)...)
	var log bytes.Buffer
	initd.Stderr = &log
	if err := initd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = initd.Process.Kill()
		_ = initd.Wait() // The test may have done it.
		if t.Failed() {
			t.Logf("initd said:\n%s", &log)
		}
	})
	c := NewClient(options)
	defer c.Close()
	if err := c.Ping(within(t)); err != nil {
		t.Fatal(err)
	}
	return initd
}

func TestAWorkerAndAClientOfARealSupervisor(t *testing.T) {
	options := offline(t)
	supervisor(t, options)
	c := client(t, options)
	subscription, err := c.Subscribe(within(t), TopicInitializer, TopicLifecycle)
	if err != nil {
		t.Fatal(err)
	}
	var followed Status
	w := worker(options)
	w.Handle(Initializer{Name: "pick-port"}, func(_ context.Context, run *Run) (any, error) {
		run.Progress(0.5, "hälf")
		return 8080, nil
	})
	w.Handle(Initializer{Name: "serve", Priority: AppActive, Dependencies: []string{"pick-port"}}, func(_ context.Context, run *Run) (any, error) {
		var port int
		if err := run.Input("pick-port", &port); err != nil || port != 8080 {
			return nil, fmt.Errorf("the port is %d: %w", port, err)
		}
		return nil, nil
	})
	w.Handle(Initializer{Name: "slow", Priority: AppActive, Dependencies: []string{"serve"}}, untilCancelled)
	stop, result := running(t, w)

	hold, err := c.Hold(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if state, err := c.Wait(within(t), WaitAppearing("serve")); err != nil || state.Err() != nil {
		t.Errorf("serve: %+v, %v", state, err)
	}
	for followed.Initializer("slow") == nil || followed.Initializer("slow").Status != ActivityRunning {
		followed.Apply(soon(t, subscription.Events()))
	}
	if progress := followed.Initializer("pick-port").Progress; progress == nil || *progress.Fraction != 0.5 || progress.Message != "hälf" {
		t.Errorf("the progress is %+v", progress)
	}
	short, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var late *Error
	if _, err := c.Wait(short, WaitReady()); !errors.As(err, &late) || late.Status().Holds != 1 {
		t.Errorf("the wait has ended with %v", err)
	}
	if err := hold.Release(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.DeactivateAndWait(within(t)); err != nil {
		t.Fatal(err)
	}
	status, err := c.Status(within(t))
	if err != nil || status.Lifecycle != LifecycleInactive || status.Initializer("slow").Status != ActivityCancelled {
		t.Errorf("the status is %+v, %v", status, err)
	}
	history, err := c.History(within(t), HistoryQuery{Limit: 10, Usual: true})
	if err != nil || len(history.Passes) < 2 || history.Passes[len(history.Passes)-1].Outcome != OutcomeCancelled {
		t.Errorf("the history is %+v, %v", history, err)
	}
	stop()
	if err := soon(t, result); err != nil {
		t.Error(err)
	}
	if status, err := c.Status(within(t)); err != nil || len(status.Initializers) != 0 {
		t.Errorf("after the worker has left: %+v, %v", status, err)
	}
}

func TestARunIsCancelledByItsUser(t *testing.T) {
	options := offline(t)
	supervisor(t, options)
	c := client(t, options)
	begun, reasons := make(chan struct{}, 3), make(chan Reason, 3)
	w := worker(options)
	w.Handle(Initializer{Name: "slow", Retry: Retry{Attempts: 3}}, func(ctx context.Context, run *Run) (any, error) {
		begun <- struct{}{}
		<-ctx.Done()
		reasons <- run.CancelReason()
		return nil, ctx.Err()
	})
	running(t, w)
	soon(t, begun)
	if cancelled, err := c.Cancel(within(t), "slow"); err != nil || len(cancelled) != 1 || cancelled[0] != "slow" {
		t.Errorf("cancelled %v, %v", cancelled, err)
	}
	if reason := soon(t, reasons); reason != ReasonOperator {
		t.Errorf("the reason is %s", reason)
	}
	user, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	state, err := c.Wait(within(t), WaitLaunch())
	if err != nil || state.Failure == nil || state.Failure.Cause.String() != "cancelled by "+user.Username {
		t.Errorf("launch: %+v, %v", state, err)
	}
	if _, err := c.Cancel(within(t), "slow"); !errors.Is(err, ErrNotRunning) {
		t.Errorf("what doesn't run: %v", err)
	}
}

func TestInitializersRunAgain(t *testing.T) {
	options := offline(t)
	supervisor(t, options)
	c := client(t, options)
	ran := make(chan string, 10)
	w := worker(options)
	handler := func(_ context.Context, run *Run) (any, error) {
		ran <- run.Initializer
		return nil, nil
	}
	w.Handle(Initializer{Name: "a"}, handler)
	w.Handle(Initializer{Name: "b", Dependencies: []string{"a"}}, handler)
	w.Handle(Initializer{Name: "c", Priority: AppActive}, handler)
	running(t, w)
	completes := func(target Target, names ...string) {
		t.Helper()
		if state, err := c.Wait(within(t), target); err != nil || state.Outcome != OutcomeComplete {
			t.Fatalf("the wait: %+v, %v", state, err)
		}
		for _, name := range names {
			if got := soon(t, ran); got != name {
				t.Errorf("%s ran instead of %s", got, name)
			}
		}
		if len(ran) > 0 {
			t.Errorf("%s ran, too", <-ran)
		}
	}
	completes(WaitAppearing("b"), "a", "b")
	for _, again := range []struct {
		rerun func(context.Context, ...string) ([]int64, error)
		names []string
	}{{c.Rerun, []string{"a"}}, {c.RerunWithDependents, []string{"a", "b"}}} {
		passes, err := again.rerun(within(t), "a")
		if err != nil || len(passes) != 1 {
			t.Fatalf("the passes are %v, %v", passes, err)
		}
		completes(WaitPass(passes[0]), again.names...)
		status, err := c.Status(within(t))
		if err != nil || status.Initializer("b").Stale != (len(again.names) == 1) {
			t.Errorf("the status is %+v, %v", status, err)
		}
	}
	if _, err := c.Rerun(within(t), "c"); !errors.Is(err, ErrInactive) {
		t.Errorf("an active initializer of an inactive app: %v", err)
	}
}

func TestAReloadSaysWhatDiffersAndWhatIsWrong(t *testing.T) {
	manifest := filepath.Join(t.TempDir(), "init.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(manifest, []byte("version: 1\ninitializers:\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	options := offline(t)
	write("  a: { worker: true, timeout: 5s }\n")
	supervisor(t, options, "--config", manifest)
	c := client(t, options)
	if _, err := c.Status(within(t)); err != nil { // Now it has read the manifest.
		t.Fatal(err)
	}
	write("  a: { worker: true, timeout: 6s }\n  b: { worker: true }\n")
	want := Reloaded{Added: []string{"b"}, Changed: []Redefined{}, Removed: []string{}, Unchanged: 1, FromNextRun: []Redefined{{Name: "a", Keys: []string{"timeout"}}}}
	for i, dry := range []bool{true, false} {
		if reloaded, err := c.Reload(within(t), ReloadOptions{DryRun: dry}); err != nil || !reflect.DeepEqual(reloaded, want) {
			t.Errorf("reloaded %+v, %v", reloaded, err)
		}
		if status, err := c.Status(within(t)); err != nil || len(status.Initializers) != 1+i {
			t.Errorf("the status is %+v, %v", status, err)
		}
	}
	write("  c: {}\n")
	var refused *Error
	_, err := c.Reload(within(t), ReloadOptions{})
	if !errors.Is(err, ErrInvalidManifest) || !errors.As(err, &refused) || len(refused.Findings()) != 1 || refused.Findings()[0].Line != 3 {
		t.Errorf("a mistake: %v", err)
	}
	if err := os.Remove(manifest); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Reload(within(t), ReloadOptions{}); !errors.Is(err, ErrUnreadableManifest) {
		t.Errorf("no manifest: %v", err)
	}
}

func TestAWorkerRegistersAgainAfterARestart(t *testing.T) {
	options := offline(t)
	options.backoff = backoff{} // The default.
	initd := supervisor(t, options)
	registered := make(chan struct{}, 10)
	w := worker(options)
	w.Handle(Initializer{Name: "a"}, nothing)
	w.options.OnRegister = func() { registered <- struct{}{} }
	running(t, w)
	soon(t, registered)
	_ = initd.Process.Kill()
	_ = initd.Wait()
	supervisor(t, options)
	back := time.Now()
	soon(t, registered)
	if took := time.Since(back); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	if state, err := client(t, options).Wait(within(t), WaitInitializer("a")); err != nil || state.Outcome != OutcomeComplete {
		t.Errorf("a: %+v, %v", state, err)
	}
}

// build makes a program of a directory.
func build(t *testing.T, directory string) string {
	t.Helper()
	program := filepath.Join(directory, "program")
	goBuild := exec.Command("go", "build", "-o", program, ".")
	goBuild.Dir = directory
	goBuild.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if output, err := goBuild.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return program
}

func TestARealSupervisorSaysWhichLimitAnOutputExceeds(t *testing.T) {
	options := offline(t)
	supervisor(t, options, "--limit", "outputBytes=1000")
	w := worker(options)
	w.Handle(Initializer{Name: "large"}, func(context.Context, *Run) (any, error) { return strings.Repeat("x", 1000), nil })
	running(t, w)
	state, err := client(t, options).Wait(within(t), WaitAppearing("large"))
	if err != nil || state.Err() == nil || !strings.Contains(state.Err().Error(), "it has more than 1000 bytes; write it to a file, and output its path") {
		t.Errorf("the state is %+v, %v, %v", state, state.Err(), err)
	}
}
