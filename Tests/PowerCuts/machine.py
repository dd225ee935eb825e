"""A virtual machine of qemu, whose power is cut by killing qemu: what the kernel hasn't written to the disk is lost."""

import contextlib
import os
import pathlib
import shutil
import subprocess

from archive import archive

HERE = pathlib.Path(__file__).resolve().parent
KERNEL_PACKAGE = "linux-image-cloud-amd64"
# In the order in which they are loaded.
MODULES = ["virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci", "virtio_blk"]


def kernel(cache):
    """Unpacks the kernel of Debian for virtual machines, once; nothing is installed. Returns the folder."""
    unpacked = cache / "kernel"
    if not unpacked.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        depends = subprocess.run(["apt-cache", "depends", KERNEL_PACKAGE], check=True, capture_output=True, text=True).stdout
        package = next(word for word in depends.split() if word.startswith("linux-image-") and word != KERNEL_PACKAGE)
        subprocess.run(["apt-get", "download", package], check=True, cwd=cache, capture_output=True)
        fresh = cache / "kernel.new"
        subprocess.run(["dpkg", "-x", next(cache.glob(f"{package}_*.deb")), fresh], check=True)
        fresh.rename(unpacked)
    return unpacked


def libraries(program):
    """The shared libraries of a program; none if it is static."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return {word for line in listed.splitlines() for word in line.split() if word.startswith("/")}


def root(initd, initctl, manifest, unpacked):
    """The files of the machine's first root directory, by path: contents and mode."""
    module = {path.stem: path for path in unpacked.rglob("*.ko")}
    files = {
        "init": HERE / "guest",
        "init.yaml": manifest,
        "bin/busybox": pathlib.Path(shutil.which("busybox")),
        "bin/initd": pathlib.Path(initd),
        "bin/initctl": pathlib.Path(initctl),
        "etc/machine-id": b"0123456789abcdef0123456789abcdef\n",
    }
    files |= {f"modules/{number}-{name}.ko": module[name] for number, name in enumerate(MODULES)}
    files |= {path.lstrip("/"): pathlib.Path(path) for program in [initd, initctl] for path in libraries(program)}
    return {path: file if isinstance(file, bytes) else file.read_bytes() for path, file in files.items()}


class Machine:
    """What stays when the power is cut: the disk, the kernel and the first root directory."""

    def __init__(self, folder, cache, initd, initctl, manifest):
        unpacked = kernel(cache)
        self.kernel = next(unpacked.glob("boot/vmlinuz-*"))
        self.root = folder / "root.cpio"
        self.root.write_bytes(archive(root(initd, initctl, manifest, unpacked)))
        self.disk = folder / "disk"
        with open(self.disk, "wb") as file:
            file.truncate(32 << 20)
        subprocess.run(["mkfs.ext4", "-q", self.disk], check=True, env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})

    @contextlib.contextmanager
    def boot(self, environment):
        """Starts the machine, gives its console, and cuts the power at the end."""
        command = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-m", "512", "-serial", "stdio"]
        # Emulated: the virtual machines in which tests run often can't run another one by KVM.
        command += ["-accel", "tcg", "-cpu", "max", "-kernel", self.kernel, "-initrd", self.root]
        command += ["-drive", f"file={self.disk},format=raw,if=virtio,cache=writeback"]
        words = [f"{name}={value}" for name, value in environment.items()]
        command += ["-append", " ".join(["console=ttyS0", "quiet", "panic=-1", *words])]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace")
        try:
            yield process.stdout
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
