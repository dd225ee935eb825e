package initd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

const protocolVersion = 1

// message is one JSON-RPC message to the supervisor.
type message struct {
	JSONRPC string     `json:"jsonrpc"`
	ID      any        `json:"id,omitempty"`
	Method  string     `json:"method,omitempty"`
	Params  any        `json:"params,omitempty"`
	Result  any        `json:"result,omitempty"`
	Error   *wireError `json:"error,omitempty"`
}

type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// empty is the JSON object {}.
type empty struct{}

func encodeMessage(m message) ([]byte, error) {
	m.JSONRPC = "2.0"
	return encodeJSON(m)
}

// encodeJSON is json.Marshal without the escapes for HTML.
func encodeJSON(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// members are the members of a JSON object. Unlike a struct, a map distinguishes "id" and "ID".
type members map[string]json.RawMessage

// text is the string member of this name, or empty.
func (m members) text(name string) string {
	var value string
	_ = json.Unmarshal(m[name], &value) // A value of another type counts as missing.
	return value
}

// incoming is one message from the supervisor: a request (id and method), a notification (method), or an answer.
type incoming struct {
	id     json.RawMessage
	method string
	params members
	result json.RawMessage
	err    error
}

// number is the id of an answer to one of our requests, which all have numbers.
func (m incoming) number() (int64, bool) {
	number, err := strconv.ParseInt(string(m.id), 10, 64)
	return number, err == nil
}

// isNull reports whether an answer's id is null: the supervisor couldn't read a message.
func (m incoming) isNull() bool { return string(m.id) == "null" }

func decodeMessage(payload []byte) (incoming, error) {
	var all members
	if err := json.Unmarshal(payload, &all); err != nil {
		return incoming{}, fmt.Errorf("%w: %v", ErrProtocol, err)
	}
	if all.text("jsonrpc") != "2.0" {
		return incoming{}, fmt.Errorf("%w: it isn't JSON-RPC 2.0", ErrProtocol)
	}
	m := incoming{id: all["id"], method: all.text("method"), result: all["result"]}
	failure, failed := all["error"]
	_, answers := all["result"]
	switch {
	case m.method != "":
		if params, given := all["params"]; given {
			if err := json.Unmarshal(params, &m.params); err != nil {
				return incoming{}, fmt.Errorf("%w: the params of %s: %v", ErrProtocol, printable(m.method), err)
			}
		}
	case m.id != nil && failed != answers:
		if failed {
			m.err = decodeError(failure)
		}
	default:
		return incoming{}, fmt.Errorf("%w: it is no request, notification or answer", ErrProtocol)
	}
	return m, nil
}

func decodeError(raw json.RawMessage) error {
	var e *wireError
	if err := json.Unmarshal(raw, &e); err != nil || e == nil {
		return fmt.Errorf("%w: the error of an answer has no code and message", ErrProtocol)
	}
	var data members
	_ = json.Unmarshal(e.Data, &data) // Data that isn't an object has no name for the error.
	return &Error{Code: e.Code, Word: data.text("code"), Message: e.Message, Data: e.Data}
}
