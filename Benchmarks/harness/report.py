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
WIDTHS = (4, 26, 10, 21, 8)


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


def targets(measurement, subject):
    """Returns the targets of a subject, each with the text for whether it holds."""
    words = {True: "holds", False: "MISSED", None: "not decided"}
    return ", ".join(
        f"{sign} {f'{value:.3g} ×' if of_ratio else amount(value, measurement.unit)} {words[holds]}"
        for sign, value, of_ratio, holds in measurement.targets(subject))


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
            wanted = targets(measurement, each)
            yield line("", each.name, f"absent: {each.absent}" + (f" (target {wanted})" if wanted else ""))
            continue
        low, high = each.quartiles
        ratio = measurement.ratio(each)
        yield line(
            "", each.name, amount(each.median, measurement.unit),
            f"{amount(low, measurement.unit)} – {amount(high, measurement.unit)}" if len(each.samples) > 1 else "",
            f"{ratio:.2f} ×" if ratio is not None else "", targets(measurement, each))
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
                "targets": [
                    {"of": "ratio" if of_ratio else "median", "sign": sign, "value": value, "holds": holds}
                    for sign, value, of_ratio, holds in measurement.targets(each)
                ],
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
    processors = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = [text.split(":", 1)[1].strip() for text in processors if text.startswith("model name")]
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
