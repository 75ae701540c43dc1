# SPDX-License-Identifier: GPL-2.0
"""kernel_image - fetches one of Debian's cloud kernels, by apt, without touching the host's apt

The packages stay in a cache folder: $TM_CACHE, by default /var/cache/tidemark-tests.
"""
import fcntl
import glob
import os
import re
import subprocess

MIRROR = os.environ.get("TM_MIRROR", "http://deb.debian.org/debian")
SECURITY = os.environ.get("TM_MIRROR_SECURITY", "http://deb.debian.org/debian-security")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

# series: (lines of sources.list, names of its image packages)
SERIES = {
    "5.10": ((f"{MIRROR} bullseye main", f"{SECURITY} bullseye-security main"),
             r"linux-image-5\.10\.0-\d+-cloud-amd64"),
    "6.1": ((f"{MIRROR} bookworm main", f"{SECURITY} bookworm-security main"),
            r"linux-image-6\.1\.0-\d+-cloud-amd64"),
    "6.12": ((f"{MIRROR} bookworm-backports main",),
             r"linux-image-6\.12\.[\d.]+\+deb12[\d.]*-cloud-amd64"),
}


def cache():
    return os.environ.get("TM_CACHE", "/var/cache/tidemark-tests")


def apt_options(folder, sources):
    """An apt of our own: lists, cache and sources in `folder`, none of the host's sources."""
    for name in ("state/lists/partial", "cache/archives/partial", "etc"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    listing = os.path.join(folder, "etc/sources.list")
    with open(listing, "w", encoding="ascii") as file:
        for line in sources:
            file.write(f"deb [signed-by={KEYRING}] {line}\n")
    settings = {
        "Dir::State": folder + "/state",
        "Dir::Cache": folder + "/cache",
        "Dir::Etc::sourcelist": listing,
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::Etc::preferencesparts": "/dev/null",
        "Acquire::Languages": "none",
        "Acquire::Check-Valid-Until": "false",  # a suite that is kept, but no longer changed
        "APT::Sandbox::User": "root",
    }
    return [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]


def version_key(name):
    return [int(number) for number in re.findall(r"\d+", name)]


def download(series):
    """The newest package of the series, into the cache."""
    sources, pattern = SERIES[series]
    options = apt_options(os.path.join(cache(), "apt-" + series), sources)
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["apt-get", *options, "-q", "update"], **quiet)
    listed = subprocess.run(["apt-cache", *options, "pkgnames", "linux-image-" + series],
                            check=True, capture_output=True, text=True).stdout.split()
    names = sorted((n for n in listed if re.fullmatch(pattern, n)), key=version_key)
    if not names:
        raise RuntimeError(f"no cloud kernel of the series {series} at {MIRROR}")
    subprocess.run(["apt-get", *options, "-q", "download", names[-1]], cwd=cache(), **quiet)


def cached(series):
    pattern = SERIES[series][1]
    found = [path for path in glob.glob(os.path.join(cache(), "linux-image-*.deb"))
             if re.fullmatch(pattern, os.path.basename(path).split("_")[0])]
    return max(found, key=version_key, default=None)


def fetch(series, work):
    """Path of the kernel of the series, unpacked below `work`."""
    os.makedirs(cache(), exist_ok=True)
    with open(os.path.join(cache(), f"apt-{series}.lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test may be fetching it
        if not cached(series):
            download(series)
    package = cached(series)
    print("kernel:", os.path.basename(package), flush=True)
    unpacked = os.path.join(work, "kernel")
    subprocess.run(["dpkg-deb", "-x", package, unpacked], check=True)
    return glob.glob(os.path.join(unpacked, "boot", "vmlinuz-*"))[0]
