"""Prints the figures of a measured fleet, and the conclusions for more hosts."""

from .figures import KINDS, spread

PHASES = {
    "start": "until all know who runs it",
    "wait": "one host runs it",
    "release": "it is done",
    "idle": "nothing changes",
}


def milliseconds(seconds):
    return f"{seconds * 1000:,.1f} ms" if seconds < 1 else f"{seconds:,.2f} s"


def megabytes(count):
    return f"{count / 1e6:,.1f} MB"


def row(name, *cells):
    return f"  {name:<34}" + "".join(f"{cell:>12}" for cell in cells)


def phase_lines(phase):
    """Prints one phase: first the sum of all requests, then each kind."""
    seconds = phase.seconds
    cores = phase.cpu / seconds
    yield row(
        f"{phase.name}: {PHASES[phase.name]}", f"{len(phase.answers):,}", f"{len(phase.answers) / seconds:,.0f}", f"{phase.most(phase.answers):,}",
        milliseconds(phase.latency(0.5)), milliseconds(phase.latency(0.99)), f"{seconds:.1f} s", f"{phase.cpu:.2f} s", f"{cores:.0%}",
        f"{phase.own / seconds:.0%}", f"{phase.others / seconds:.0%}", f"{phase.after.proposals - phase.before.proposals:,.0f}", f"{phase.after.syncs - phase.before.syncs:,.0f}",
        sum(phase.failures.values()))
    for kind in KINDS:
        if answers := phase.of(kind):
            yield row(
                f"  {kind}", f"{len(answers):,}", f"{len(answers) / seconds:,.0f}", f"{phase.most(answers):,}",
                milliseconds(phase.latency(0.5, kind)), milliseconds(phase.latency(0.99, kind)))


def lines(fleet, behaviour):
    """Prints all figures about one fleet."""
    figures, hosts, lease = fleet.figures, len(fleet.agents), fleet.lease
    last = figures.phases["idle"].after
    yield f"{behaviour.name}: {behaviour.about}"
    yield f"  {hosts:,} hosts start within {fleet.window:g} s; a lease of {lease.length} s, renewed every {lease.interval:.2f} s"
    yield row("", "requests", "a second", "most in 1 s", "median", "p99", "length", "etcd's CPU", "of a core", "simulator", "others", "proposals", "syncs", "failed")
    for phase in figures.phases.values():
        yield from phase_lines(phase)
    median, latest = spread(fleet.seconds_until_known)
    yield f"  from the completion until a host knows: median {milliseconds(median)}, the last one {milliseconds(latest)}"
    yield f"  until `initfleet wait ready` knows that all {hosts:,} hosts are ready: {milliseconds(fleet.seconds_until_ready)}"
    syncs = sum(phase.after.syncs - phase.before.syncs for phase in figures.phases.values())
    seconds = sum(phase.after.sync_seconds - phase.before.sync_seconds for phase in figures.phases.values())
    yield f"  keys {fleet.key_count:,} with {megabytes(fleet.key_bytes)}; watches {last.watches:,.0f}; connections {figures.connections:,}"
    yield (
        f"  etcd: memory {megabytes(fleet.empty.resident)} before, {megabytes(last.resident)} after; database {megabytes(last.database)}; "
        f"descriptors {last.descriptors:,.0f}; one sync {milliseconds(seconds / max(syncs, 1))}; lost leases {figures.lost_leases}")


def computed(fleet, hosts):
    """What the measured figures mean for another number of hosts. All values are assumed to be proportional to the hosts."""
    figures, lease = fleet.figures, fleet.lease
    idle = figures.phases["idle"]
    factor = hosts / len(fleet.agents)
    renewals = max(1, len(idle.of("renew")))
    each = idle.cpu / renewals
    yield f"computed from that for {hosts:,} hosts, if everything is proportional to the hosts:"
    for length in sorted({lease.length, 15, 30, 60}):
        interval = type(lease)(length, lease.grace).interval
        yield f"  lease {length} s: {hosts / interval:,.0f} renewals a second, {hosts / interval * each:.2f} cores ({each * 1e6:,.0f} µs each)"
    yield (
        f"  memory {megabytes(fleet.empty.resident + (idle.after.resident - fleet.empty.resident) * factor)}; watches {idle.after.watches * factor:,.0f}; "
        f"database {megabytes(idle.after.database * factor)}; keys {megabytes(fleet.key_bytes * factor)}")
