package initd

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// programs is how many examples the README has. Each is a whole program, and has a test that compiles it.
const programs = 2

// program builds the program number i of the README, which uses the socket at path.
func program(t *testing.T, i int, path string) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(blocks) != programs {
		t.Fatalf("the README has %d examples, and the tests know %d", len(blocks), programs)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	for name, text := range map[string]string{
		"main.go": strings.ReplaceAll(string(blocks[i][1]), "/tmp/shop.sock", path),
		"go.mod": "module shop\n\ngo 1.19\n\nrequire github.com/appinitializers/appinitializers/clients/go v0.0.0\n\n" +
			"replace github.com/appinitializers/appinitializers/clients/go => " + here + "\n",
	} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return build(t, directory)
}

// ready runs the initctl command of the README with another timeout, and returns its output.
func ready(t *testing.T, path, timeout string) string {
	t.Helper()
	initctl := os.Getenv("INITCTL")
	if initctl == "" {
		t.Skip("INITCTL isn't set")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^\$ initctl (.*)$`).FindSubmatch(readme)
	if command == nil {
		t.Fatal("the README has no command of initctl")
	}
	line := strings.NewReplacer("/tmp/shop.sock", path, "10s", timeout).Replace(string(command[1]))
	output, _ := exec.CommandContext(within(t), "sh", "-c", `"$0" `+line, initctl).Output() // The command fails until the worker is there.
	return string(output)
}

func TestTheWorkerOfTheReadme(t *testing.T) {
	options := offline(t)
	path := program(t, 0, options.Path)
	supervisor(t, options, "--activate")
	if said := ready(t, options.Path, "100ms"); said != "" {
		t.Errorf("without a worker, initctl said %q", said)
	}
	worker := exec.CommandContext(within(t), path)
	output, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(output)
	if !said.Scan() || said.Text() != "favorites of 100 titles in pass 4" {
		t.Errorf("it said %q", said.Text())
	}
	if said := ready(t, options.Path, "10s"); said != "ready\n" {
		t.Errorf("initctl said %q", said)
	}
	_ = worker.Process.Signal(syscall.SIGTERM)
	if err := worker.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

func TestASecondSignalEndsTheWorkerOfTheReadmeAtOnce(t *testing.T) {
	registered, ended := make(chan struct{}), make(chan struct{})
	options := offline(t)
	path := program(t, 0, options.Path)
	listen(t, options, func(p *fakePeer) {
		p.begin()
		close(registered)
		p.expect("unregister") // The test doesn't answer, so the worker waits.
		<-ended
	})
	worker := exec.CommandContext(within(t), path)
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	soon(t, registered)
	go func() {
		for worker.Process.Signal(syscall.SIGTERM) == nil { // The program needs a moment between the first and the second.
			time.Sleep(time.Millisecond)
		}
	}()
	_ = worker.Wait()
	close(ended)
	if status := worker.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", worker.ProcessState)
	}
}

func TestTheReadmeHasEveryMemberThatAProgramSets(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range []any{Initializer{}, Retry{}, Options{}, WorkerOptions{}} {
		for _, member := range reflect.VisibleFields(reflect.TypeOf(each)) {
			want := "`" + member.Name + "`"
			if member.Type.Kind() == reflect.Func {
				want = "`" + member.Name + " " + strings.ReplaceAll(member.Type.String(), "initd.", "") + "`"
			}
			if member.IsExported() && !member.Anonymous && !strings.Contains(string(readme), want) {
				t.Errorf("the README doesn't have %s of %T", want, each)
			}
		}
	}
}

func TestTheClientOfTheReadme(t *testing.T) {
	options := offline(t)
	path := program(t, 1, options.Path)
	supervisor(t, options)
	c := exec.CommandContext(within(t), path)
	c.Env = append(os.Environ(), "INITD_SOCKET="+options.Path)
	if output, err := c.CombinedOutput(); err != nil || string(output) != "the pass is complete\nready\n" {
		t.Errorf("it said %q, %v", output, err)
	}
}
