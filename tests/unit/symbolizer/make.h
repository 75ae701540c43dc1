/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * make - makes records as a correct collector writes them, which tests then break
 */

#include <stdint.h>

#include "shared/event.h"

#define FILE_WORD(number, offset)                         \
	((uint64_t)TM_FRAME_FILE << TM_FRAME_KIND_SHIFT | \
	 (uint64_t)(number) << TM_FRAME_FILE_SHIFT | (offset))
#define KERNEL_WORD(module, offset)                         \
	((uint64_t)TM_FRAME_KERNEL << TM_FRAME_KIND_SHIFT | \
	 (uint64_t)(module) << TM_FRAME_MODULE_SHIFT | (offset))
#define VDSO_WORD(offset)  ((uint64_t)TM_FRAME_VDSO << TM_FRAME_KIND_SHIFT | (offset))
#define ANON_WORD(address) ((uint64_t)TM_FRAME_ANON << TM_FRAME_KIND_SHIFT | (address))
#define METHOD_WORD(number, place)                          \
	((uint64_t)TM_FRAME_METHOD << TM_FRAME_KIND_SHIFT | \
	 (uint64_t)(number) << TM_FRAME_METHOD_SHIFT | (place))
#define UNRESOLVED_WORD(cause) ((uint64_t)TM_FRAME_UNRESOLVED << TM_FRAME_KIND_SHIFT | (cause))

union make_record {
	struct tm_event event;
	struct tm_sample sample;
	struct tm_process process;
	struct tm_file file;
	struct tm_exit exit;
	struct tm_retire retire;
	struct tm_thread thread;
	struct tm_context context;
	struct tm_method method;
	uint64_t words[(TM_EVENT_MAX_BYTES + 7) / 8];
	uint8_t bytes[TM_EVENT_MAX_BYTES];
};

/* @tid: also the tgid. The first @kernel words are kernel frames. */
void make_sample(union make_record *record, uint64_t ktime, uint32_t tid, const char *comm,
		 const uint64_t *words, uint16_t kernel, uint16_t user);
/* Makes it one of the kind off-CPU, which has lasted @value ns and stands for them. */
void make_off_cpu(union make_record *record, enum tm_thread_state state, uint64_t value);
/* Makes it that of a waker, who ended the sleep of thread @slept that began at @since. */
void make_waker(union make_record *record, uint32_t slept, uint64_t since);
/* @exe, @cgroup: packed paths, with their sizes. */
void make_process(union make_record *record, uint32_t tgid, const char *comm, uint32_t exe_file,
		  const char *exe, uint16_t exe_bytes, const char *cgroup, uint16_t cgroup_bytes);
void make_file(union make_record *record, uint32_t number, uint64_t ino, const char *path,
	       uint16_t path_bytes);
/* The identity of a FILE record gets the size and times of the open file @fd. */
void make_identity_of(union make_record *record, int fd);
/* @message: what the process says (make_context.h). */
void make_context(union make_record *record, uint32_t tgid, const void *message, uint32_t count);
/* Of CPython 3.11, at line 10; the names in Latin-1. */
void make_method(union make_record *record, uint64_t number, const char *name, const char *file,
		 const void *lines, uint16_t lines_bytes);
/* A method of Java 17, with no file and no lines. */
void make_java_method(union make_record *record, uint64_t number, const char *class,
		      const char *name, const char *signature);
/* It gets a file and a line table, once. */
void make_java_lines(union make_record *record, const char *file, const void *lines,
		     uint16_t lines_bytes);
void make_exit(union make_record *record, uint64_t ktime, uint32_t tgid);
void make_retire(union make_record *record, uint64_t ktime, uint32_t number);
/* What a thread does at @ktime, since @since. @words: kernel frames. It was seen at 1 first, has no
 * other times, and is counted. @tid: also the tgid. */
void make_thread(union make_record *record, uint64_t ktime, uint32_t tid, const char *comm,
		 enum tm_thread_state state, uint64_t since, const uint64_t *words,
		 uint16_t kernel);
