/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_seeds - builds the seeds of the corpus event
 */

#include "tests/fuzz/event_seeds.h"

#include "shared/method.h"
#include "tests/unit/symbolizer/make.h"

#define METHODS_OVER 40000000000ull /* ns: what was sampled before is idle */

static event_seeds_put_fn put;

/* Stacks that were taken before waits, the samples at their ends, and the threads' ends. */
static void waits(void)
{
	static union make_record record;
	const uint64_t words[] = {KERNEL_WORD(0, 16), FILE_WORD(3, 0x40), VDSO_WORD(1)};

	make_file(&record, 3, 77, "prog\0bin\0", 9);
	put("event", "waits", &record, record.event.bytes, false);
	for (uint32_t tid = 42; tid < 44; tid++) {
		make_sample(&record, 101, tid, "thread", words, 1, 2);
		make_off_cpu(&record, TM_THREAD_INTERRUPTIBLE, 0);
		record.sample.since = record.sample.stack = 100;
		put("event", "waits", &record, record.event.bytes, true);
		make_sample(&record, 160, tid, "thread", words, 0, 0);
		make_off_cpu(&record, TM_THREAD_INTERRUPTIBLE, 50);
		record.sample.since = record.sample.stack = 100;
		put("event", "waits", &record, record.event.bytes, true);
		make_off_cpu(&record, TM_THREAD_RUNNABLE, 9);
		record.sample.since = 150;
		put("event", "waits", &record, record.event.bytes, true);
		record.sample.stack = 99; /* there is none */
		put("event", "waits", &record, record.event.bytes, true);
		make_thread(&record, 170, tid, "thread", TM_THREAD_STATES_N, 160, words, 0);
		put("event", "waits", &record, record.event.bytes, true);
	}
}

/* By a thread and in an interrupt; the last one's sleep has another beginning. */
static void wakers(void)
{
	static union make_record record;
	const uint64_t words[] = {KERNEL_WORD(0, 0x4), KERNEL_WORD(0, 0x14), KERNEL_WORD(0, 0x24),
				  FILE_WORD(3, 0x40), ANON_WORD(0x7f00)};

	make_file(&record, 3, 77, "prog\0bin\0", 9);
	put("event", "wakers", &record, record.event.bytes, false);
	for (uint16_t kernel_frames = 1; kernel_frames <= 3; kernel_frames++) {
		const uint64_t since = 100u * kernel_frames;

		make_sample(&record, since + 20, 43, "waker", words, kernel_frames,
			    (uint16_t)(5 - kernel_frames));
		for (uint16_t i = kernel_frames; i < 3; i++)
			record.sample.frames[i] = VDSO_WORD(i);
		make_waker(&record, 42, since);
		put("event", "wakers", &record, record.event.bytes, true);
		make_sample(&record, since + 30, 42, "sleeper", words, 2, 0);
		make_off_cpu(&record, TM_THREAD_INTERRUPTIBLE, 20);
		record.sample.since = kernel_frames < 3 ? since : since + 1;
		put("event", "wakers", &record, record.event.bytes, true);
	}
}

/* The second record of a number says something else; 8 comes after its sample, 9 never does. */
static void methods(void)
{
	static union make_record record;
	static const uint8_t lines[] = {0xe8, 0x00, 0xd8, 0x0a, 0x0f, 0xf0, 0x00, 0x01, 0x03, 0x04};
	const uint64_t words[] = {METHOD_WORD(7, 1),  METHOD_WORD(8, 2),
				  METHOD_WORD(9, 0),  METHOD_WORD(0, TM_FRAME_PLACE_MAX),
				  FILE_WORD(3, 0x40), METHOD_WORD(10, 3),
				  METHOD_WORD(11, 64)};

	make_method(&record, 7, "Worker.run", "/srv/work.py", lines, sizeof(lines));
	put("event", "methods", &record, record.event.bytes, false);
	make_sample(&record, 5, 42, "thread", words, 0, 7);
	put("event", "methods", &record, record.event.bytes, true);
	make_method(&record, 7, "Worker.end", "/srv/work.py", lines, sizeof(lines));
	put("event", "methods", &record, record.event.bytes, true);
	make_method(&record, 8, "caf\xe9", "work.py!", lines, sizeof(lines));
	record.method.file_width = 2;
	put("event", "methods", &record, record.event.bytes, true);
	make_java_method(&record, 10, "app/Work$$Lambda+0x12", "caf\xc3\xa9", "(I)C");
	make_java_lines(&record, "Work.java", "\x05\x12", 3);
	put("event", "methods", &record, record.event.bytes, true);
	make_java_method(&record, 11, "", "StubRoutines (1)", "");
	record.method.flags = TM_METHOD_STUB;
	put("event", "methods", &record, record.event.bytes, true);
	make_exit(&record, METHODS_OVER, 42);
	record.event.cpu = 0xffff; /* a report */
	put("event", "methods", &record, record.event.bytes, true);
	make_sample(&record, METHODS_OVER + 1, 42, "thread", words, 0, 2);
	put("event", "methods", &record, record.event.bytes, true);
	make_method(&record, 7, "Worker.run", "/srv/work.py", lines, sizeof(lines));
	record.method.version = 0x0309;
	put("event", "methods", &record, record.event.bytes, true);
}

static void records(void)
{
	static union make_record record;
	const uint64_t words[] = {KERNEL_WORD(0, 16), FILE_WORD(3, 0x40), VDSO_WORD(1),
				  ANON_WORD(2), UNRESOLVED_WORD(0)};

	make_process(&record, 42, "leader", 3, "prog\0bin\0", 9, "slice\0", 6);
	put("event", "recording", &record, record.event.bytes, false);
	make_file(&record, 3, 77, "prog\0bin\0", 9);
	put("event", "recording", &record, record.event.bytes, true);
	put("event", "every", &record, record.event.bytes, false);
	for (uint64_t ktime = 5; ktime > 2; ktime--) {
		make_sample(&record, ktime, 42, "thread", words, 1, 4);
		put("event", "recording", &record, record.event.bytes, true);
	}
	make_sample(&record, 6, 42, "thread", words, 1, 4);
	make_off_cpu(&record, TM_THREAD_IO_WAIT, 7000);
	put("event", "recording", &record, record.event.bytes, true);
	make_sample(&record, 7, 42, "thread", words, 1, 4);
	make_off_cpu(&record, TM_THREAD_RUNNABLE, TM_OFF_CPU_VALUE_MAX);
	put("event", "recording", &record, record.event.bytes, true);
	make_file(&record, 3, 78, "other\0", 6);
	put("event", "recording", &record, record.event.bytes, true);
	make_sample(&record, 9, 42, "thread", words + 1, 0, 1);
	put("event", "recording", &record, record.event.bytes, true);
	make_exit(&record, 8, 42);
	put("event", "recording", &record, record.event.bytes, true);
	put("event", "exit", &record, record.event.bytes, false);
}

void event_seeds_put(event_seeds_put_fn to)
{
	put = to;
	records();
	waits();
	wakers();
	methods();
}
