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

// Event is a change in the supervisor. Topic says which members are set; an unknown one has only Raw.
type Event struct {
	Topic Topic
	// Seq numbers the events of all topics. Gaps are events of other topics.
	Seq  int64
	Time Time

	// TopicSnapshot.
	Snapshot *Status
	// For TopicState: the changed states, and all states at that time.
	Changed                   []Topic
	Launch, Active, Composite State
	Lifecycle                 Lifecycle
	// TopicInitializer: the newest shape of the initializer, or its last shape if it was removed.
	Initializer *InitializerStatus
	Removed     bool
	// TopicPass.
	Pass       int64
	Phase      Phase
	PassStatus PassStatus
	// For TopicWorker: a worker, or a process; Removed is true if a reload has removed the process.
	Worker    *WorkerStatus
	Connected bool
	Process   *ProcessStatus
	// TopicLog.
	Line *LogLine
	// TopicLagged: how many events were missed.
	Dropped int
	// TopicLost: why.
	Err error

	// Raw has all members as JSON. It is empty with TopicLost.
	Raw json.RawMessage
}

// decodeEvent reads the params of an event. A member that a later version of the protocol has changed is left out.
func decodeEvent(params members) Event {
	e := Event{Topic: Topic(params.text("topic"))}
	e.Raw, _ = json.Marshal(params) // A map of JSON has an encoding.
	into := func(name string, target any) { _ = json.Unmarshal(params[name], target) }
	into("seq", &e.Seq)
	into("time", &e.Time)
	switch e.Topic {
	case TopicSnapshot:
		e.Snapshot = &Status{}
		into("snapshot", e.Snapshot)
	case TopicState:
		into("changed", &e.Changed)
		into("launch", &e.Launch)
		into("active", &e.Active)
		into("composite", &e.Composite)
		into("lifecycle", &e.Lifecycle)
	case TopicInitializer:
		e.Initializer = &InitializerStatus{}
		into("initializer", e.Initializer)
		into("removed", &e.Removed)
	case TopicPass:
		into("pass", &e.Pass)
		into("phase", &e.Phase)
		into("status", &e.PassStatus)
	case TopicWorker:
		into("worker", &e.Worker)
		into("connected", &e.Connected)
		into("process", &e.Process)
		into("removed", &e.Removed)
	case TopicLog:
		e.Line = &LogLine{}
		_ = json.Unmarshal(e.Raw, e.Line)
	case TopicLagged:
		into("dropped", &e.Dropped)
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
