package initd

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// TestMain starts the supervisor of the examples, which find it through the environment.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		directory, err := os.MkdirTemp("", "initd")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(directory)
		path := filepath.Join(directory, "initd.sock")
		listener, err := net.Listen("unix", path)
		if err != nil {
			panic(err)
		}
		defer listener.Close()
		go func() {
			for {
				stream, err := listener.Accept()
				if err != nil {
					return
				}
				go obey(&fakePeer{stream, bufio.NewReader(stream)})
			}
		}()
		os.Setenv("INITD_SOCKET", path)
		return m.Run()
	}())
}

// obey answers everything as a supervisor would that knows no initializers, until the connection ends.
func obey(p *fakePeer) {
	defer p.Close()
	for {
		m := p.receive()
		if m == nil {
			return
		}
		params, _ := m["params"].(object)
		answer := object{"id": m["id"], "result": object{}}
		switch m["method"] {
		case "hello":
			answer["result"] = object{"protocol": 1, "instance": "6f0c", "limits": object{"frameBytes": 1 << 20}}
		case "activate":
			answer["result"] = object{"pass": 2, "active": object{"state": "pending", "pass": 2}}
		case "subscribe":
			answer["result"] = object{"snapshot": object{"seq": 1, "lifecycle": "inactive"}}
		case "wait":
			answer["result"] = object{"state": "complete", "pass": params["pass"]}
			if name := params["initializer"]; name != nil {
				delete(answer, "result")
				answer["error"] = object{"code": -32004, "message": fmt.Sprint("no initializer is named ", name), "data": object{"code": "unknownInitializer"}}
			}
		}
		if m["method"] == nil || !p.trySend(answer) {
			continue
		}
		switch m["method"] {
		case "register":
			for i, each := range params["initializers"].([]any) {
				p.run(i+1, each.(object)["name"].(string), nil)
			}
		case "subscribe":
			p.event(object{"seq": 2, "topic": "pass", "pass": 2, "phase": "active", "status": "started"})
		}
	}
}
