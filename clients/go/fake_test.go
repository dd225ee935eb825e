package initd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"
)

// deadline is how long a step may take before a test fails.
const deadline = 10 * time.Second

const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

type object = map[string]any

// fakePeer is one connection that a fake supervisor has accepted, for its script.
type fakePeer struct {
	net.Conn
	reader *bufio.Reader
}

// failed is the panic of a script whose expectation isn't met.
type failed string

func require(condition bool, format string, args ...any) {
	if !condition {
		panic(failed(fmt.Sprintf(format, args...)))
	}
}

// fake starts a supervisor that plays a script on each connection, in order. It returns the options to connect to it. The test
// fails unless all scripts come to their end.
func fake(t *testing.T, scripts ...func(*fakePeer)) *Options {
	t.Helper()
	options := offline(t)
	listen(t, options, scripts...)
	return options
}

// listen starts such a supervisor at the path of the options.
func listen(t *testing.T, options *Options, scripts ...func(*fakePeer)) {
	t.Helper()
	listener, err := net.Listen("unix", options.Path)
	if err != nil {
		t.Fatal(err)
	}
	played := make(chan string, 1)
	go func() {
		defer close(played)
		defer func() {
			if value := recover(); value != nil {
				played <- fmt.Sprint(value)
			}
		}()
		for _, script := range scripts {
			stream, err := listener.Accept()
			require(err == nil, "no connection came: %v", err)
			_ = stream.SetDeadline(time.Now().Add(deadline))
			func() {
				defer stream.Close()
				script(&fakePeer{stream, bufio.NewReader(stream)})
			}()
		}
	}()
	t.Cleanup(func() {
		_ = listener.(*net.UnixListener).SetDeadline(time.Now().Add(deadline))
		if failure := <-played; failure != "" {
			t.Errorf("the script failed: %s", failure)
		}
		listener.Close()
	})
}

// offline returns options for a path without a listener, with short delays and a silent logger.
func offline(t testing.TB) *Options {
	t.Helper()
	directory, err := os.MkdirTemp("", "initd") // t.TempDir() may be too long for a socket.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(directory) })
	return &Options{
		Path:    filepath.Join(directory, "initd.sock"),
		Name:    "test",
		Logger:  log.New(io.Discard, "", 0),
		backoff: backoff{first: time.Millisecond, most: 10 * time.Millisecond},
	}
}

// within is a context for one step.
func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	return ctx
}

// soon receives from a channel, or fails the test.
func soon[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(deadline):
		t.Fatal("nothing came in time")
		panic("unreachable")
	}
}

func (p *fakePeer) send(m object) { require(p.trySend(m), "cannot send %v", m) }

// trySend reports whether the message was sent.
func (p *fakePeer) trySend(m object) bool {
	m["jsonrpc"] = "2.0"
	payload, err := json.Marshal(m)
	require(err == nil, "%v", err)
	frame, err := encodeFrame(payload, maxFrame)
	require(err == nil, "%v", err)
	_, err = p.Write(frame)
	return err == nil
}

// receive returns the next message, or nil at the end.
func (p *fakePeer) receive() object {
	payload, err := readFrame(p.reader)
	if err == io.EOF || errors.Is(err, syscall.ECONNRESET) { // Reset: it has closed without reading everything.
		return nil
	}
	require(err == nil, "%v", err)
	var m object
	require(json.Unmarshal(payload, &m) == nil, "cannot read %s", payload)
	return m
}

// expect returns the params of the next message, which must have this method, and its id.
func (p *fakePeer) expect(method string) (params object, id any) {
	m := p.receive()
	require(m["method"] == method, "expected %s, got %v", method, m)
	params, _ = m["params"].(object)
	return params, m["id"]
}

func (p *fakePeer) expectEnd() {
	m := p.receive()
	require(m == nil, "expected the end, got %v", m)
}

// reply answers the next message, which must have this method, and returns its params.
func (p *fakePeer) reply(method string, result any) object {
	params, id := p.expect(method)
	p.send(object{"id": id, "result": result})
	return params
}

func (p *fakePeer) refuse(method string, code int, text string, data object) {
	_, id := p.expect(method)
	p.send(object{"id": id, "error": object{"code": code, "message": text, "data": data}})
}

func (p *fakePeer) greet() object {
	return p.reply("hello", object{"protocol": 1, "instance": "6f0c", "pid": 4711, "limits": object{"frameBytes": 1 << 20}})
}

// begin answers hello and register.
func (p *fakePeer) begin() object {
	p.greet()
	return p.reply("register", object{"registered": []string{}})
}

func (p *fakePeer) run(number int, initializer string, changes object) {
	params := object{"run": number, "initializer": initializer, "pass": 1, "phase": "launch", "attempt": 1}
	for name, value := range changes {
		params[name] = value
	}
	p.send(object{"id": fmt.Sprintf("run-%d", number), "method": "run", "params": params})
}

func (p *fakePeer) cancel(number int, reason Reason) {
	p.send(object{"method": "cancel", "params": object{"run": number, "reason": reason}})
}

func (p *fakePeer) event(params object) { p.send(object{"method": "event", "params": params}) }

// expectResult receives the successful answer to a run.
func (p *fakePeer) expectResult(number int, result object) {
	m := p.receive()
	require(reflect.DeepEqual(m, object{"jsonrpc": "2.0", "id": fmt.Sprintf("run-%d", number), "result": result}),
		"expected the result %v of run %d, got %v", result, number, m)
}

// expectFailure receives the error that answers a run, and returns its message.
func (p *fakePeer) expectFailure(number, code int) string {
	m := p.receive()
	failure, _ := m["error"].(object)
	require(m["id"] == fmt.Sprintf("run-%d", number) && failure["code"] == float64(code),
		"expected the error %d of run %d, got %v", code, number, m)
	return failure["message"].(string)
}
