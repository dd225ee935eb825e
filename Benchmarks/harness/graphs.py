"""The graphs that the rows run, and how they are written for initd, make and sh. A graph maps each name to its dependencies."""


def chain(count):
    """Each name depends on the previous one."""
    return {f"n{i}": [f"n{i - 1}"] if i else [] for i in range(count)}


def layers(count, width=100):
    """Layers in which each name depends on two names of the layer below."""
    graph = {}
    for number in range(count):
        layer, place = divmod(number, width)
        below = (layer - 1) * width
        graph[f"n{number}"] = [f"n{below + place}", f"n{below + (place + 1) % width}"] if layer else []
    return graph


def manifest(path, graph, priority="appActive", concurrency=1):
    """Writes a manifest whose initializers are all `/bin/true`. Returns the path of the manifest."""
    lines = ["version: 1", f"concurrency: {concurrency}", "initializers:"]
    for name, dependencies in graph.items():
        lines += [f"  {name}:", "    command: [/bin/true]", f"    priority: {priority}"]
        if dependencies:
            lines.append(f"    dependencies: [{', '.join(dependencies)}]")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def makefile(path, graph):
    lines = [f".PHONY: all {' '.join(graph)}", f"all: {' '.join(graph)}"]
    for name, dependencies in graph.items():
        lines += [f"{name}: {' '.join(dependencies)}", "\t@/bin/true"]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def script(path, graph):
    """A script of sh, for a graph whose order is the order of its names."""
    path.write_text("/bin/true\n" * len(graph))
    return str(path)
