package initd

import "encoding/json"

// Topic is the subject of an event. [Client.Subscribe] takes the topics of the protocol. The topic of an event says which of its members
// are set.
type Topic string

// Topics to subscribe to. An event of the first four has the topic TopicState.
const (
	TopicLaunch      Topic = "launch"
	TopicActive      Topic = "active"
	TopicComposite   Topic = "composite"
	TopicLifecycle   Topic = "lifecycle"
	TopicInitializer Topic = "initializer"
	TopicPass        Topic = "pass"
	TopicWorker      Topic = "worker"
	TopicLog         Topic = "log"
)

// Further topics of events. They come regardless of the topics of the subscription.
const (
	TopicState Topic = "state"
	// TopicSnapshot brings the complete Status: first of all, after lagged, and after a lost connection. It replaces
	// everything that is known from earlier events.
	TopicSnapshot Topic = "snapshot"
	// TopicLagged means that events were missed, because they weren't received in time. A snapshot follows.
	TopicLagged Topic = "lagged"
	// TopicLost means that the connection was lost. A snapshot follows when a supervisor answers again. Only this
	// package makes such events.
	TopicLost Topic = "lost"
	// TopicShutdown means that the supervisor has shut down. The connection is lost next.
	TopicShutdown Topic = "shutdown"
)

// decodeEvent reads the params of an event. A member that a later version of the protocol has changed is left out.
func decodeEvent(params members) Event {
	var e Event
	e.Raw, _ = json.Marshal(params) // A map of JSON has an encoding.
	e.decode(func(name string, target any) { _ = json.Unmarshal(params[name], target) })
	if e.Topic == TopicLog {
		e.Line = &LogLine{}
		_ = json.Unmarshal(e.Raw, e.Line)
	}
	return e
}

// Apply changes the status as an event says: a snapshot replaces it, and a state or an initializer is updated. To follow a
// supervisor, subscribe to the topics that matter, and apply each event.
func (s *Status) Apply(e Event) {
	if e.Seq > s.Seq {
		s.Seq, s.Time = e.Seq, e.Time
	}
	switch e.Topic {
	case TopicSnapshot:
		*s = *e.Snapshot
		s.Initializers = append([]InitializerStatus(nil), s.Initializers...) // The event keeps its own.
	case TopicState:
		s.Launch, s.Active, s.Composite, s.Lifecycle = e.Launch, e.Active, e.Composite, e.Lifecycle
		s.Fence = e.Fence
	case TopicInitializer:
		s.applyInitializer(*e.Initializer, e.Removed)
	}
}

func (s *Status) applyInitializer(newest InitializerStatus, removed bool) {
	for i := range s.Initializers {
		if s.Initializers[i].Name != newest.Name {
			continue
		}
		if removed {
			s.Initializers = append(s.Initializers[:i:i], s.Initializers[i+1:]...)
		} else {
			s.Initializers[i] = newest
		}
		return
	}
	if !removed {
		s.Initializers = append(s.Initializers, newest)
	}
}
