"""Archives in the format newc of cpio, which the kernel unpacks as its first root directory."""

import os


def entry(number, path, mode, contents):
    """One file: a header of hexadecimal fields, its name and its contents, each filled up to a multiple of four bytes."""
    name = path.encode() + b"\0"
    fields = [number, mode, 0, 0, 1, 0, len(contents), 0, 0, 0, 0, len(name), 0]
    header = b"070701" + b"".join(b"%08X" % field for field in fields) + name
    return filled(header) + filled(contents)


def filled(contents):
    return contents + b"\0" * (-len(contents) % 4)


def archive(files):
    """An archive of the files, with the folders that they need."""
    folders = sorted({parent for path in files for parent in parents(path)})
    entries = [(folder, 0o040755, b"") for folder in folders] + [(path, 0o100755, contents) for path, contents in files.items()]
    entries.append(("TRAILER!!!", 0, b""))
    return b"".join(entry(number, *one) for number, one in enumerate(entries, 1))


def parents(path):
    while path := os.path.dirname(path):
        yield path
