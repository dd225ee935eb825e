package main

import (
	"encoding/json"
	"time"

	initd "github.com/appinitializers/appinitializers/clients/go"
)

// config is the argument of the subject: clients/conformance/README.md describes it.
type config struct {
	Client       string        `json:"client"`
	Initializers []initializer `json:"initializers"`
	Subscribe    []initd.Topic `json:"subscribe"`
	Calls        []call        `json:"calls"`
}

type initializer struct {
	Name         string         `json:"name"`
	Priority     initd.Priority `json:"priority"`
	Dependencies []string       `json:"dependencies"`
	Timeout      seconds        `json:"timeout"`
	Retry        struct {
		Attempts int     `json:"attempts"`
		Delay    seconds `json:"delay"`
		Factor   float64 `json:"factor"`
		MaxDelay seconds `json:"maxDelay"`
	} `json:"retry"`
	PerProcess  bool   `json:"perProcess"`
	Optional    bool   `json:"optional"`
	Description string `json:"description"`
	Steps       []step `json:"steps"`
}

func (i initializer) declaration() initd.Initializer {
	return initd.Initializer{
		Name:         i.Name,
		Priority:     i.Priority,
		Dependencies: i.Dependencies,
		Timeout:      i.Timeout.duration(),
		Retry: initd.Retry{
			Attempts: i.Retry.Attempts,
			Delay:    i.Retry.Delay.duration(),
			Factor:   i.Retry.Factor,
			MaxDelay: i.Retry.MaxDelay.duration(),
		},
		PerProcess:  i.PerProcess,
		Optional:    i.Optional,
		Description: i.Description,
	}
}

// step is one step of a run. Members that are left out are nil.
type step struct {
	Progress        *float64        `json:"progress"`
	Message         *string         `json:"message"`
	Extend          *seconds        `json:"extend"`
	Sleep           *seconds        `json:"sleep"`
	Block           *seconds        `json:"block"`
	IgnoreCancelFor *seconds        `json:"ignoreCancelFor"`
	Output          json.RawMessage `json:"output"`
	Secret          bool            `json:"secret"`
	EchoInputs      bool            `json:"echoInputs"`
	EchoFence       bool            `json:"echoFence"`
	Fail            *string         `json:"fail"`
}

// call is a request of the client.
type call struct {
	Status     bool     `json:"status"`
	Activate   bool     `json:"activate"`
	Deactivate bool     `json:"deactivate"`
	Wait       string   `json:"wait"`
	WaitFor    string   `json:"waitFor"`
	Timeout    *seconds `json:"timeout"`
	Hold       *seconds `json:"hold"`
}

type seconds float64

func (s seconds) duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }
