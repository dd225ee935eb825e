"""The table on the standard output, and the JSON file."""

import json
import math
import os
import pathlib
import platform
import shutil
import subprocess
import time

UNITS = {"s": [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (0, "ns")], "B": [(1 << 20, "MiB"), (1 << 10, "KiB"), (0, "B")], "MB": [(0, "MB")]}
WIDTHS = (19, 24, 11, 23, 9)


def amount(value, unit):
    """A value with three digits, in a unit that fits."""
    if value is None:
        return "–"
    if unit not in UNITS:
        return f"{value:,.0f} {unit}".rstrip()
    size, name = next((size, name) for size, name in UNITS[unit] if abs(value) >= size)
    size = size or {"ns": 1e-9, "B": 1, "MB": 1e6}[name]
    shown = value / size
    digits = max(0, 2 - int(math.floor(math.log10(abs(shown))))) if shown else 0
    return f"{shown:,.{min(digits, 2)}f} {name}"


def target(subject, unit):
    parts = []
    if subject.limit is not None:
        parts.append(f"≤ {amount(subject.limit, unit)}")
    if subject.at_most is not None:
        parts.append(f"≤ {subject.at_most:g} ×")
    if subject.at_least is not None:
        parts.append(f"≥ {subject.at_least:g} ×")
    return ", ".join(parts)


def line(*cells):
    padded = [f"{cell:<{width}}" for cell, width in zip(cells, WIDTHS)]
    return "  ".join([*padded, *cells[len(WIDTHS) :]]).rstrip()


def heading():
    return line("row", "program", "median", "quartiles", "ratio", "target")


def table(measurement):
    """The lines of one row."""
    yield f"{measurement.row}: {measurement.title}"
    for each in measurement.subjects:
        if each.absent:
            wanted = target(each, measurement.unit)
            yield line("", each.name, f"absent: {each.absent}" + (f" (target {wanted}: not decided)" if wanted else ""))
            continue
        low, high = each.quartiles
        ratio = measurement.ratio(each)
        wanted = target(each, measurement.unit)
        if wanted:
            wanted += " holds" if measurement.holds(each) else " MISSED"
        yield line(
            "", each.name, amount(each.median, measurement.unit),
            f"{amount(low, measurement.unit)} – {amount(high, measurement.unit)}" if len(each.samples) > 1 else "",
            f"{ratio:.2f} ×" if ratio is not None else "", wanted)
    if measurement.note:
        yield f"  {measurement.note}"


def as_json(measurement):
    return {
        "row": measurement.row,
        "title": measurement.title,
        "unit": measurement.unit,
        "holds": measurement.all_hold,
        "undecided": measurement.undecided,
        "note": measurement.note,
        "programs": [
            {
                "name": each.name,
                "absent": each.absent,
                "median": each.median,
                "quartiles": each.quartiles,
                "samples": each.samples,
                "ratio": measurement.ratio(each),
                "target": {"ratioAtMost": each.at_most, "ratioAtLeast": each.at_least, "medianAtMost": each.limit},
                "holds": measurement.holds(each),
            }
            for each in measurement.subjects
        ],
    }


def version(program, *arguments):
    """The first line that a program prints about its version."""
    if not shutil.which(program):
        return None
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    return ((done.stdout or done.stderr).splitlines() or [""])[0]


def machine():
    model = [text.split(":", 1)[1].strip() for text in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if text.startswith("model name")]
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "kernel": platform.release(),
        "processor": model[0] if model else platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "peers": {
            "dinit": version("dinit", "--version"),
            "redis": version("redis-server", "--version"),
            "make": version("make", "--version"),
            "cc": version("cc", "--version"),
        },
    }


def write_json(path, before, measurements):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": before, "rows": [as_json(each) for each in measurements]}, indent=1) + "\n")
