/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sandbox - confines a process: hardening, resource limits, seccomp filter
 *
 * Use        every process calls all three before it reads its first untrusted byte. A failure is
 *            fatal to the caller.
 * Seccomp    one table per process (NAME.seccomp beside its main.c), compiled at build time with
 *            libseccomp (shared/seccompgen/main.c) into a constant array of sock_filter, so that no
 *            program links libseccomp. The default action is KILL_PROCESS.
 * Builds     -Dsandbox=false, for sanitizer builds, leaves out the filter alone. Under a sanitizer
 *            the address space stays unlimited and the process dumpable, which its leak check
 *            needs.
 * Threads    call from the only thread; the filter is installed for all threads (TSYNC).
 * Errors     -errno. -EBUSY: a thread could not be put under the filter.
 * Source     seccomp(2), prctl(2), setrlimit(2).
 */

#include <linux/filter.h>

/* A sanitizer traces its own process for leaks and maps terabytes of shadow. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TM_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TM_SANITIZED 1
#endif
#endif
#ifndef TM_SANITIZED
#define TM_SANITIZED 0
#endif

struct tm_filter { /* generated: const struct tm_filter NAME_filter in NAME_filter.h */
	const struct sock_filter *instructions;
	unsigned short count;
};

/* Sets no_new_privs, not dumpable, core size 0 and umask 077; removes every environment variable
 * but those of the service manager. Return: 0, -errno. */
int tm_sandbox_harden(void);
/* Sets soft and hard limit of each; 0: leaves it unchanged. Return: 0, -errno. */
int tm_sandbox_limits(unsigned long descriptors, unsigned long address_space_bytes);
/* Return: @most, or what the hard limit allows. */
unsigned long tm_sandbox_descriptors(unsigned long most);
/* Installs the filter for all threads. Return: 0, -errno. */
int tm_sandbox_filter(const struct tm_filter *filter);
