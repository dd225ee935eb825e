package initd

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSomethingElseAtTheSocketIsNamed(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		_, _ = io.WriteString(p, "HTTP/1.1 400 Bad Request\r\n\r\n")
	}))
	if err := c.Ping(within(t)); !errors.Is(err, ErrNotInitd) || !strings.Contains(err.Error(), "not initd") {
		t.Errorf("the error is %v", err)
	}
}

// lines is a writer whose lines can be received.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

func TestAProgramThatWaitsForASupervisorSaysSo(t *testing.T) {
	options := offline(t)
	told := make(lines, 10)
	options.Logger = log.New(told, "", 0)
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
	listener, err := net.Listen("unix", options.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		stream, err := listener.Accept()
		if err == nil {
			p := &fakePeer{stream, bufio.NewReader(stream)}
			p.greet()
			p.reply("ping", object{})
		}
	}()
	if err := soon(t, result); err != nil {
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

func TestASocketOfAnotherUserIsAnErrorAtOnce(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may connect everywhere")
	}
	options := fake(t)
	if err := os.Chmod(filepath.Dir(options.Path), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(options.Path), 0o700)
	if err := client(t, options).Ping(within(t)); !errors.Is(err, os.ErrPermission) {
		t.Errorf("the error is %v", err)
	}
}
