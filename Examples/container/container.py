"""A container without an engine: a directory as the root of a process that is the first of its pid namespace.

It gets what every engine gives: /proc, /dev with null and shm, the image's user, environment and directory, and no further
rights. With `base`, this machine's own programs and libraries stand for the image that it is built from.
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import time
from typing import Callable, Optional

from image import Image

PATIENCE = 30.0
"""How long anything that should come may take, in seconds."""

BASE = ["usr", "bin", "sbin", "lib", "lib64", "etc"]

_START = r"""
root=$1 base=$2 user=$3 directory=$4 writable=$5
shift 5
mount --bind "$root" "$root"
cd "$root"
for each in $base; do
  if [ -L "/$each" ]; then ln -sfn "$(readlink "/$each")" "$each"
  elif [ -d "/$each" ]; then mkdir -p "$each"; mount --rbind "/$each" "$each"; fi
done
mkdir -p proc dev
mount -t proc proc proc
mount -t tmpfs -o mode=0755 dev dev
touch dev/null && mount --bind /dev/null dev/null
mkdir dev/shm && mount -t tmpfs -o mode=1777 shm dev/shm
for each in $writable; do mount --bind ".$each" ".$each"; done
mount -o remount,bind,ro "$root"
exec setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --bounding-set=-all \
  chroot-and-go "$root" "$directory" "$@"
"""
