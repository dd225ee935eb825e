package initd

import (
	"encoding/json"
	"testing"
	"time"
)

func TestAnInitializerHasTheReasonsForItsStatus(t *testing.T) {
	var status Status
	if err := json.Unmarshal([]byte(`{"fence":9007199254740993,"groups":[{"name":"heavy","places":2}],"initializers":[
		{"name":"a","group":"heavy","again":{"reason":"dependency","initializer":"b","message":"b has run"},"changed":true,
		"once":{"release":"v7","fence":42},"waitsFor":"localhost:5432","process":"shelf","killed":"it ignored SIGTERM","tide":"high"}]}`), &status); err != nil {
		t.Fatal(err)
	}
	if status.Fence != 9007199254740993 || status.Groups[0] != (Group{Name: "heavy", Places: 2}) {
		t.Errorf("the status is %+v", status)
	}
	a := status.Initializer("a")
	if *a.Again != (Again{Reason: "dependency", Initializer: "b", Message: "b has run"}) || *a.Once != (Once{Release: "v7", Fence: 42}) {
		t.Errorf("it runs again because of %+v, and once for %+v", a.Again, a.Once)
	}
	if !a.Changed || a.Group != "heavy" || a.WaitsFor != "localhost:5432" || a.Process != "shelf" || a.Killed != "it ignored SIGTERM" {
		t.Errorf("the initializer is %+v", a)
	}
}

func TestARecordHasItsPassAndItsRunInfo(t *testing.T) {
	var record PassRecord
	if err := json.Unmarshal([]byte(`{"pass":3,"phase":"active","opened":2,"started":1,"interrupted":true,"traceparent":"00",
		"runs":[{"run":7,"attempt":2,"started":2.5,"duration":0.5,"ready":2,"group":"heavy","waitedFor":["a"]}]}`), &record); err != nil {
		t.Fatal(err)
	}
	if record.Number != 3 || record.Phase != PhaseActive || record.Opened.Unix() != 2 || !record.Interrupted || record.Traceparent != "00" {
		t.Errorf("the pass is %+v", record)
	}
	run := record.Runs[0]
	if run.Run != 7 || run.Attempt != 2 || run.Started.UnixMilli() != 2500 || run.Duration.Duration != time.Second/2 || run.Group != "heavy" {
		t.Errorf("the run is %+v", run)
	}
}

func TestAnEventHasTheMembersOfItsTopic(t *testing.T) {
	read := func(text string) Event {
		var params members
		if err := json.Unmarshal([]byte(text), &params); err != nil {
			t.Fatal(err)
		}
		return decodeEvent(params)
	}
	status := Status{Seq: 1}
	status.Apply(read(`{"topic":"state","seq":2,"time":3,"changed":["lifecycle"],"lifecycle":"active","launch":{"state":"complete"},"fence":42}`))
	if status.Seq != 2 || status.Lifecycle != LifecycleActive || status.Launch.Outcome != OutcomeComplete || status.Fence != 42 {
		t.Errorf("the status is %+v", status)
	}
	if e := read(`{"topic":"tide","seq":3,"pass":2,"removed":true}`); e.Seq != 3 || e.Pass != 0 || e.Removed || len(e.Raw) == 0 {
		t.Errorf("the event is %+v", e)
	}
	if e := read(`{"topic":"initializer","initializer":7,"removed":true}`); e.Initializer == nil || !e.Removed {
		t.Errorf("the event is %+v", e)
	}
	if e := read(`{"topic":"log","seq":4,"initializer":"a","pass":2,"instance":"6f","line":"x"}`); e.Line.Pass != 2 || e.Line.Instance != "6f" || e.Seq != 4 {
		t.Errorf("the event is %+v", e)
	}
}
