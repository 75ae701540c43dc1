/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make - makes records as a correct collector writes them, which tests then break
 */

#include "tests/unit/symbolizer/make.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "shared/runtime.h"

static void begin(union make_record *record, enum tm_event_type type, size_t bytes, uint32_t tgid)
{
	memset(record, 0, sizeof(*record));
	record->event.bytes = (uint32_t)((bytes + 7) & ~(size_t)7);
	record->event.type = (uint16_t)type;
	record->event.tgid = tgid;
	record->event.tid = tgid;
	record->event.start_boottime = 1000u + tgid;
	record->event.exec_id = 1;
	record->event.ktime = 1;
}

void make_sample(union make_record *record, uint64_t ktime, uint32_t tid, const char *comm,
		 const uint64_t *words, uint16_t kernel, uint16_t user)
{
	begin(record, TM_EVENT_SAMPLE, sizeof(struct tm_sample) + 8ull * (kernel + user), tid);
	record->event.ktime = ktime;
	memcpy(record->sample.comm, comm, strnlen(comm, TM_COMM_BYTES));
	record->sample.kernel_frames = kernel;
	record->sample.user_frames = user;
	if (kernel + user)
		memcpy(record->sample.frames, words, 8ull * (kernel + user));
}

void make_off_cpu(union make_record *record, enum tm_thread_state state, uint64_t value)
{
	record->sample.kind = TM_SAMPLE_OFF_CPU;
	record->sample.state = (uint8_t)state;
	record->sample.duration = value;
	record->sample.value = value;
}

void make_waker(union make_record *record, uint32_t slept, uint64_t since)
{
	record->sample.kind = TM_SAMPLE_WAKER;
	record->sample.since = since;
	record->sample.sleeper_tgid = slept;
	record->sample.sleeper_tid = slept;
	record->sample.sleeper_start = 1000u + slept;
}

void make_process(union make_record *record, uint32_t tgid, const char *comm, uint32_t exe_file,
		  const char *exe, uint16_t exe_bytes, const char *cgroup, uint16_t cgroup_bytes)
{
	begin(record, TM_EVENT_PROCESS,
	      offsetof(struct tm_process, text) + exe_bytes + (size_t)cgroup_bytes, tgid);
	memcpy(record->process.comm, comm, strnlen(comm, TM_COMM_BYTES));
	record->process.exe_file = exe_file;
	record->process.jitdump_file = TM_FILE_NONE;
	record->process.ns_tgid = 7;
	record->process.path_bytes = exe_bytes;
	record->process.cgroup_bytes = cgroup_bytes;
	memcpy(record->process.text, exe, exe_bytes);
	memcpy(record->process.text + exe_bytes, cgroup, cgroup_bytes);
}

void make_file(union make_record *record, uint32_t number, uint64_t ino, const char *path,
	       uint16_t path_bytes)
{
	begin(record, TM_EVENT_FILE, offsetof(struct tm_file, text) + path_bytes, 1);
	record->file.identity.ino = ino;
	record->file.number = number;
	record->file.path_bytes = path_bytes;
	memcpy(record->file.text, path, path_bytes);
}

void make_identity_of(union make_record *record, int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return;
	record->file.identity.size = (uint64_t)status.st_size;
	record->file.identity.mtime_sec = status.st_mtim.tv_sec;
	record->file.identity.mtime_nsec = (uint32_t)status.st_mtim.tv_nsec;
	record->file.identity.ctime_ns = (uint64_t)status.st_ctim.tv_sec * TM_NS_PER_SECOND +
					 (uint64_t)status.st_ctim.tv_nsec;
}

void make_context(union make_record *record, uint32_t tgid, const void *message, uint32_t count)
{
	begin(record, TM_EVENT_CONTEXT, sizeof(struct tm_context) + count, tgid);
	record->context.published = 1;
	record->context.text_bytes = count;
	memcpy(record->context.text, message, count);
}

void make_method(union make_record *record, uint64_t number, const char *name, const char *file,
		 const void *lines, uint16_t lines_bytes)
{
	const size_t name_bytes = strlen(name), file_bytes = strlen(file);

	begin(record, TM_EVENT_METHOD,
	      offsetof(struct tm_method, text) + name_bytes + file_bytes + lines_bytes, 1);
	record->method.number = number;
	record->method.runtime = TM_RUNTIME_PYTHON;
	record->method.version = 0x030b;
	record->method.first_line = 10;
	record->method.name_bytes = (uint16_t)name_bytes;
	record->method.file_bytes = (uint16_t)file_bytes;
	record->method.lines_bytes = lines_bytes;
	record->method.name_width = record->method.file_width = 1;
	memcpy(record->method.text, name, name_bytes);
	memcpy(record->method.text + name_bytes, file, file_bytes);
	memcpy(record->method.text + name_bytes + file_bytes, lines, lines_bytes);
}

void make_java_method(union make_record *record, uint64_t number, const char *class,
		      const char *name, const char *signature)
{
	const size_t class_bytes = strlen(class), name_bytes = strlen(name);
	const size_t signature_bytes = strlen(signature);
	char *text = record->method.text;

	begin(record, TM_EVENT_METHOD,
	      offsetof(struct tm_method, text) + class_bytes + name_bytes + signature_bytes, 1);
	record->method.number = number;
	record->method.runtime = TM_RUNTIME_JAVA;
	record->method.version = 17;
	record->method.class_bytes = (uint16_t)class_bytes;
	record->method.name_bytes = (uint16_t)name_bytes;
	record->method.signature_bytes = (uint16_t)signature_bytes;
	record->method.name_width = record->method.file_width = 1;
	memcpy(text, class, class_bytes);
	memcpy(text + class_bytes, name, name_bytes);
	memcpy(text + class_bytes + name_bytes, signature, signature_bytes);
}

void make_java_lines(union make_record *record, const char *file, const void *lines,
		     uint16_t lines_bytes)
{
	struct tm_method *method = &record->method;
	const size_t file_bytes = strlen(file);
	const size_t before =
		(size_t)method->class_bytes + method->name_bytes + method->signature_bytes;
	const size_t bytes = offsetof(struct tm_method, text) + before + file_bytes + lines_bytes;

	method->event.bytes = (uint32_t)((bytes + 7) & ~(size_t)7);
	method->file_bytes = (uint16_t)file_bytes;
	method->lines_bytes = lines_bytes;
	memcpy(method->text + before, file, file_bytes);
	memcpy(method->text + before + file_bytes, lines, lines_bytes);
}

void make_exit(union make_record *record, uint64_t ktime, uint32_t tgid)
{
	begin(record, TM_EVENT_EXIT, sizeof(struct tm_exit), tgid);
	record->event.ktime = ktime;
}

void make_retire(union make_record *record, uint64_t ktime, uint32_t number)
{
	memset(record, 0, sizeof(*record));
	record->event.bytes = sizeof(struct tm_retire);
	record->event.type = TM_EVENT_RETIRE;
	record->event.ktime = ktime;
	record->retire.number = number;
}

void make_thread(union make_record *record, uint64_t ktime, uint32_t tid, const char *comm,
		 enum tm_thread_state state, uint64_t since, const uint64_t *words, uint16_t kernel)
{
	begin(record, TM_EVENT_THREAD, sizeof(struct tm_thread) + 8ull * kernel, tid);
	record->event.ktime = ktime;
	memcpy(record->thread.comm, comm, strnlen(comm, TM_COMM_BYTES));
	record->thread.seen = 1;
	record->thread.since = since;
	record->thread.state = (uint16_t)state;
	record->thread.kernel_frames = kernel;
	record->thread.flags = TM_THREAD_COUNTED;
	if (kernel)
		memcpy(record->thread.frames, words, 8ull * kernel);
}
