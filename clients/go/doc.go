/*
Package initd is a client of the initialization supervisor initd, and makes workers for it.

A [Worker] provides initializers: functions that the supervisor runs when their turn comes.

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-ctx.Done()
		stop() // A second signal ends the process at once.
	}()
	worker := initd.NewWorker(nil)
	worker.Handle(initd.Initializer{Name: "catalogue"}, loadCatalogue)
	err := worker.Run(ctx) // until a signal

A [Client] asks the supervisor, and tells it what to do.

	client := initd.NewClient(nil)
	defer client.Close()
	state, err := client.Wait(ctx, initd.WaitReady())

# The connection

Both connect to the socket of [Options].Path, by default $INITD_SOCKET, else initd.sock in $XDG_RUNTIME_DIR, else
/run/initd.sock for root. A request of a client waits 30 seconds for a supervisor that isn't running yet, and a worker waits
until its context is done; see [Options].ConnectTimeout. They tell the logger so after a second. If the connection is lost, a
worker registers again, a subscription starts again with a snapshot, and a hold holds again: with exponential backoff and
jitter, from 50 milliseconds to a second. Another program at the socket is an error at first; after a loss, they tell the logger
about it once, and try again.

# Contexts

Every method that may block takes a context. The context of a request bounds that request. The context of [Worker.Run],
[Client.Subscribe] and [Client.Hold] bounds the whole life of the worker, the subscription and the hold.

# Errors

A refused request returns an [*Error] with the protocol's code and word. Compare it with errors.Is:

	if errors.Is(err, initd.ErrUnknownInitializer) { … }

Without a supervisor the error is [ErrNoSupervisor], after a lost connection [ErrConnectionLost].

The protocol is described in clients/PROTOCOL.md of AppInitializers.
*/
package initd
