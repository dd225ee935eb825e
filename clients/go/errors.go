package initd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Errors of the connection. They are wrapped with details; compare with errors.Is.
var (
	// ErrNoSupervisor means that no supervisor answers at the socket, or that no path is known.
	ErrNoSupervisor = errors.New("initd: no supervisor")
	// ErrConnectionLost means that the connection ended before the answer arrived. The request may have taken effect.
	ErrConnectionLost = errors.New("initd: the connection was lost")
	// ErrClosed means that the Client was closed.
	ErrClosed = errors.New("initd: the client is closed")
	// ErrNotInitd means that the program at the socket isn't initd.
	ErrNotInitd = errors.New("initd: the peer is not initd")
	// ErrProtocol means that the peer violated the protocol. The connection was closed.
	ErrProtocol = errors.New("initd: cannot read the supervisor's message")
	// ErrTooLarge means that a message exceeds the supervisor's limit. No part of the message was sent.
	ErrTooLarge = errors.New("initd: cannot send the message")
	// ErrNoInput means that a dependency has no output, or isn't a dependency of the run.
	ErrNoInput = errors.New("initd: no input")
)

// The answers of a supervisor that refuses a request. An [*Error] matches the variable with its code:
//
//	if errors.Is(err, initd.ErrUnknownInitializer) { … }
var (
	ErrUnsupportedProtocol error = &Error{Code: -32001, Word: "unsupportedProtocol", Message: "the supervisor doesn't support the version of the protocol"}
	ErrNameConflict        error = &Error{Code: -32002, Word: "nameConflict", Message: "the name has a live provider, or conflicts with the manifest"}
	ErrTimeout             error = &Error{Code: codeTimeout, Word: "timeout", Message: "timed out"}
	ErrUnknownInitializer  error = &Error{Code: -32004, Word: "unknownInitializer", Message: "no initializer has this name"}
	ErrNotPermitted        error = &Error{Code: -32005, Word: "notPermitted", Message: "permission denied"}
	ErrShuttingDown        error = &Error{Code: -32006, Word: "shuttingDown", Message: "the supervisor is shutting down"}
	ErrLimitExceeded       error = &Error{Code: -32007, Word: "limitExceeded", Message: "a limit is exceeded"}
	ErrNotRunning          error = &Error{Code: -32009, Word: "notRunning", Message: "an initializer doesn't run"}
	ErrInactive            error = &Error{Code: -32010, Word: "inactive", Message: "an initializer is active, and the app is inactive"}
	ErrInvalidManifest     error = &Error{Code: -32011, Word: "invalidManifest", Message: "the configuration has mistakes"}
	ErrUnreadableManifest  error = &Error{Code: -32012, Word: "unreadableManifest", Message: "the configuration can't be read"}
)

// The codes of JSON-RPC, the code of a wait that has timed out, and codes that only a worker sends.
const (
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeTimeout        = -32003
	codeCancelled      = -32008
	codeRunFailed      = 1
)

// Error is a supervisor's answer that refuses a request.
type Error struct {
	// Code is the code of JSON-RPC, e.g. -32002.
	Code int
	// Word is the code's name in the protocol, e.g. "nameConflict". It is empty for the codes -32700 to -32600.
	Word string
	// Message is for people. It may contain any characters; Error escapes them.
	Message string
	// Data is the answer's data, as JSON. It may be empty.
	Data json.RawMessage
}

// Error returns the message with the code's name, or with the code if it has none.
func (e *Error) Error() string {
	if e.Word != "" {
		return fmt.Sprintf("initd: %s (%s, %d)", printable(e.Message), printable(e.Word), e.Code)
	}
	return fmt.Sprintf("initd: %s (%d)", printable(e.Message), e.Code)
}

// Is reports whether target is an Error with the same code. A timeout is also a context.DeadlineExceeded.
func (e *Error) Is(target error) bool {
	if other, ok := target.(*Error); ok {
		return e.Code == other.Code
	}
	return target == context.DeadlineExceeded && e.Timeout()
}

// Timeout reports whether a wait has timed out.
func (e *Error) Timeout() bool { return e.Code == codeTimeout }

// Status is the supervisor's Status at the time when a wait timed out. It is nil for other errors.
func (e *Error) Status() *Status {
	var data struct {
		Status *Status `json:"status"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return nil
	}
	return data.Status
}

// Limit is the name of the limit that was exceeded, or empty.
func (e *Error) Limit() string {
	var data struct {
		Limit string `json:"limit"`
	}
	_ = json.Unmarshal(e.Data, &data) // Data of another shape names no limit.
	return data.Limit
}

// Findings are the mistakes in the configuration that a supervisor couldn't reload. There are none for other errors.
func (e *Error) Findings() []Finding {
	var data struct {
		Findings []Finding `json:"findings"`
	}
	_ = json.Unmarshal(e.Data, &data) // Data of another shape has no findings.
	return data.Findings
}

// temporary reports whether another attempt to connect may succeed.
func temporary(err error) bool {
	if errors.Is(err, os.ErrPermission) {
		return false
	}
	var refused *Error
	if errors.Is(err, ErrLimitExceeded) && errors.As(err, &refused) {
		return refused.Limit() == "connections" // Another limit refuses the request.
	}
	return errors.Is(err, ErrNoSupervisor) || errors.Is(err, ErrConnectionLost) || errors.Is(err, ErrShuttingDown)
}

// foreign reports whether the peer isn't a supervisor, or doesn't speak its protocol.
func foreign(err error) bool { return errors.Is(err, ErrNotInitd) || errors.Is(err, ErrProtocol) }
