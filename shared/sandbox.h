/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sandbox - the walls every process of both programs puts up before its first foreign byte
 *
 * Seccomp    one table per process (NAME.seccomp beside its main), compiled at build time with
 *            libseccomp (shared/seccompgen/main.c) into a const array of sock_filter; at run time only
 *            prctl and seccomp(2). Default action KILL_PROCESS.
 * Walls      mandatory: a failure is the caller's fatal error. -Dsandbox=false (sanitizer builds)
 *            leaves out the filter alone; under a sanitizer the address space stays unlimited and the
 *            process dumpable, which its leak check needs.
 */

#include <linux/filter.h>
#include <stddef.h>

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

/* no_new_privs, not dumpable, core 0, umask 077, empty environment but what is kept by name.
 * Return: 0, -errno. */
int tm_sandbox_harden(void);
/* Soft and hard limit of each; 0 descriptors or bytes: left alone. Return: 0, -errno. */
int tm_sandbox_limits(unsigned long descriptors, unsigned long address_space_bytes);
/* Installs the filter for all threads. Return: 0, -errno. */
int tm_sandbox_filter(const struct tm_filter *filter);
