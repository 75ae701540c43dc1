#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# seccomp - makes the seccomp profile of a container from the SystemCallFilter= of a unit
#
# usage: seccomp.py UNIT OUTPUT. The form is that of the OCI runtime specification, which runc,
# podman and Kubernetes read. The groups are those of systemd.exec(5), for x86-64.
import json
import re
import sys

GROUPS = {
    "@basic-io": "close close_range dup dup2 dup3 lseek pread64 preadv preadv2 pwrite64 pwritev "
                 "pwritev2 read readv write writev",
    "@file-system": "access chdir chmod close creat faccessat faccessat2 fallocate fchdir fchmod "
                    "fchmodat fcntl fgetxattr flistxattr fremovexattr fsetxattr fstat fstatfs "
                    "ftruncate futimesat getcwd getdents getdents64 getxattr inotify_add_watch "
                    "inotify_init inotify_init1 inotify_rm_watch lgetxattr link linkat listxattr "
                    "llistxattr lremovexattr lsetxattr lstat mkdir mkdirat mknod mknodat "
                    "newfstatat open openat openat2 readlink readlinkat removexattr rename "
                    "renameat renameat2 rmdir setxattr stat statfs statx symlink symlinkat "
                    "truncate unlink unlinkat utime utimensat utimes",
    "@io-event": "epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 "
                 "epoll_wait epoll_wait_old eventfd eventfd2 poll ppoll pselect6 select",
    "@signal": "rt_sigaction rt_sigpending rt_sigprocmask rt_sigsuspend rt_sigtimedwait "
               "sigaltstack signalfd signalfd4",
    "@sync": "fdatasync fsync msync sync sync_file_range syncfs",
    "@timer": "alarm getitimer setitimer timer_create timer_delete timer_getoverrun timer_gettime "
              "timer_settime timerfd_create timerfd_gettime timerfd_settime times",
}
# systemd allows it besides any filter; what a program begins with, and tidemark-service listen
ALWAYS = "clock_gettime clock_nanosleep gettimeofday nanosleep sched_getaffinity time " \
         "bind listen unlink"


def names(unit):
    found = set(ALWAYS.split())
    for word in " ".join(re.findall(r"^SystemCallFilter=(.*)", unit, re.M)).split():
        found.update(GROUPS[word].split() if word[0] == "@" else [word])
    return sorted(found)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        profile = {
            "defaultAction": "SCMP_ACT_ERRNO",
            "architectures": ["SCMP_ARCH_X86_64"],
            "syscalls": [{"names": names(file.read()), "action": "SCMP_ACT_ALLOW"}],
        }
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(profile, file, indent=1)


main()
