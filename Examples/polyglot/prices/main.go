// Each activation, in Go: computes the prices of the catalogue.
package main

import (
	"context"
	"log"
	"math"
	"os/signal"
	"syscall"
	"time"

	initd "github.com/appinitializers/appinitializers/clients/go"
)

func main() {
	worker := initd.NewWorker(&initd.WorkerOptions{Options: initd.Options{Name: "prices-in-go"}})
	worker.Handle(initd.Initializer{
		Name:         "prices",
		Priority:     initd.AppActive,
		Dependencies: []string{"settings", "catalogue"},
	}, prices)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-ctx.Done()
		stop() // A second signal ends the process at once.
	}()
	if err := worker.Run(ctx); err != nil {
		log.Fatal(err)
	}
}

func prices(ctx context.Context, run *initd.Run) (any, error) {
	var settings struct{ Markup float64 }
	var catalogue map[string]float64
	if err := run.Input("settings", &settings); err != nil {
		return nil, err
	}
	if err := run.Input("catalogue", &catalogue); err != nil {
		return nil, err
	}
	found := map[string]float64{}
	for title, cost := range catalogue {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
		found[title] = math.Round(cost*settings.Markup*100) / 100
		run.Progress(float64(len(found))/float64(len(catalogue)), title)
	}
	return found, nil
}
