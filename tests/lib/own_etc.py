# SPDX-License-Identifier: Apache-2.0
# own_etc - runs a test in an /etc of its own, whose files it may replace
import ctypes
import os
import traceback

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000  # include/uapi/linux/sched.h
MS_REC, MS_PRIVATE = 16384, 1 << 18  # include/uapi/linux/mount.h
SYS_LANDLOCK_CREATE_RULESET = 444


def is_restricted(process):
    """Whether Landlock keeps a program from files: a sanitizer's build has no sandbox."""
    abi = LIBC.syscall(SYS_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    with open("/proc/%d/status" % process.pid, encoding="ascii") as file:
        return abi > 0 and "Seccomp:\t2\n" in file.read()


def replace(path, text):
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(text)
    os.rename(path + ".new", path)


def own_etc(hosts):
    """Gives this process an /etc of its own, where nothing is but hosts."""
    user, group = os.geteuid(), os.getegid()
    assert LIBC.unshare(CLONE_NEWNS | (CLONE_NEWUSER if user else 0)) == 0, "no mount namespace"
    for name, text in (("setgroups", "deny"), ("uid_map", "0 %d 1" % user),
                       ("gid_map", "0 %d 1" % group)):
        if user:
            with open("/proc/self/" + name, "w", encoding="ascii") as file:
                file.write(text)
    assert LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0
    assert LIBC.mount(b"none", b"/etc", b"tmpfs", 0, None) == 0
    replace("/etc/hosts", hosts)


def with_own_etc(hosts, test, *arguments):
    """Calls the test in a process of its own."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            own_etc(hosts)
            test(*arguments)
            code = 0
        except Exception:  # pylint: disable=broad-exception-caught
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
