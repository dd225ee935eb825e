"""A plot as SVG: measured points on two logarithmic axes, and the line that a promise allows."""

import html
import math

WIDTH, HEIGHT = 560, 330
LEFT, RIGHT, TOP, BOTTOM = 74, 16, 14, 44
COLOURS = ["#1b6ca8", "#c0392b", "#1e8449", "#7d3c98"]


def _decades(values):
    return math.floor(math.log10(min(values))), max(math.ceil(math.log10(max(values))), math.floor(math.log10(min(values))) + 1)


class Axes:
    """Where a value is in the plot."""

    def __init__(self, xs, ys):
        self.x, self.y = _decades(xs), _decades(ys)

    def at(self, x, y):
        across = (math.log10(x) - self.x[0]) / (self.x[1] - self.x[0])
        up = (math.log10(y) - self.y[0]) / (self.y[1] - self.y[0])
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    def grid(self, labels):
        for power in range(self.x[0], self.x[1] + 1):
            x, bottom = self.at(10.0**power, 10.0 ** self.y[0])
            yield f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom:.1f}" class="grid"/>'
            yield f'<text x="{x:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{10**power:,}</text>'
        for power in range(self.y[0], self.y[1] + 1):
            left, y = self.at(10.0 ** self.x[0], 10.0**power)
            yield f'<line x1="{left:.1f}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" class="grid"/>'
            yield f'<text x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{html.escape(labels(10.0**power))}</text>'


def _path(axes, points):
    return " ".join(f"{'L' if i else 'M'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(axes.at(*point) for point in points))


def plot(series, promise, label_x, labels):
    """The SVG of some series, each a name and its points.

    `promise` is a function of x: its line goes through the last point of the first series. `labels` writes a value of the vertical axis.
    """
    points = [point for _, each in series for point in each]
    axes = Axes([x for x, _ in points], [y for _, y in points])
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    lines = [f'<svg {size} xmlns="http://www.w3.org/2000/svg">', *axes.grid(labels)]
    first = series[0][1]
    scale = first[-1][1] / promise(first[-1][0])
    lowest = 10.0 ** axes.y[0]
    allowed = [(x, promise(x) * scale) for x, _ in first if promise(x) * scale >= lowest]
    lines.append(f'<path d="{_path(axes, allowed)}" class="promise"/>')
    for number, (name, each) in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        lines.append(f'<path d="{_path(axes, each)}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        for point in each:
            x, y = axes.at(*point)
            lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" fill="{colour}"/>')
        lines.append(f'<text x="{LEFT + 10}" y="{TOP + 16 + 16 * number}" fill="{colour}">{html.escape(name)}</text>')
    lines.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(label_x)}</text></svg>')
    return "\n".join(lines)


def exponent(points):
    """Returns the growth over the last decade: 1 is linear, 2 quadratic."""
    last = points[-1]
    before = max((point for point in points[:-1] if point[0] <= last[0] / 8), default=points[0])
    return math.log(last[1] / before[1]) / math.log(last[0] / before[0])
