/* SPDX-License-Identifier: Apache-2.0 */
/* synth_cases - the named reports that the tests of the writers share */

#include <stdio.h>
#include <string.h>

#include "tests/interop/synth.h"

#define LARGE_STACKS    50000
#define LARGE_PROCESSES 40
#define LARGE_DEPTH_MAX 60
#define LARGE_FUNCTIONS 3000

/* A small fixed generator: the same report in every run and with every C library. */
static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}

/* Three functions 60/30/10, as in the shares that the page must show. */
static void tiny(struct synth *synth)
{
	uint32_t file = synth_file(synth, "/usr/bin/tiny", "aabb", 0);
	uint32_t kernel = synth_file(synth, "[kernel]", "", 1);
	uint32_t start = synth_frame(synth, "_start", file, 0x1100, REPORT_NATIVE);
	uint32_t main_frame = synth_frame(synth, "main", file, 0x1200, REPORT_NATIVE);
	uint32_t main_again = synth_frame(synth, "main", file, 0x1210, REPORT_NATIVE);
	uint32_t hot[] = {
		synth_frame(synth, "hot_sixty", file, 0x1300, REPORT_NATIVE),
		synth_frame(synth, "hot_thirty", file, 0x1400, REPORT_NATIVE),
		synth_frame(synth, "do_syscall_64", kernel, 0x100, REPORT_KERNEL),
	};
	uint32_t process = synth_process(synth, 100, "tiny", "/usr/bin/tiny");
	const uint64_t counts[] = {600, 300, 100};

	synth_container(synth, process,
			"34dc0b5e626f2c5c4c5170e34b10e7654ce36f0fcd532739f4445baabea03376",
			"74c13223-5a00-11e9-b385-42010a80018d");
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t one[] = {hot[i], main_frame, start};
		const uint32_t other[] = {hot[i], main_again, start};

		synth_sample(synth, process, 100, "tiny", synth_stack(synth, one, 3), 0,
			     counts[i] / 2);
		synth_sample(synth, process, 101, "tiny-worker", synth_stack(synth, other, 3), 0,
			     counts[i] / 2);
	}
}

/* Names as an attacker would choose them, and two that become one when written as folded text. */
static void hostile(struct synth *synth)
{
	static const char *const names[] = {
		"</script><img src=x onerror=\"document.title='owned'\">",
		"<!--<script>",
		"]]>",
		"&lt;b&gt;",
		"quote\"back\\slash'",
		"`${document.title='owned'}`",
		"line\xe2\x80\xa8separator\xe2\x80\xa9paragraph",
		"semi;colon",
		"semi_colon",
		"new\nline",
		"tab\ttab",
		"del\x7f",
		"__proto__",
		"constructor",
		"hasOwnProperty",
		"space at end ",
		"\xe2\x80\xae\x72ight to left",
		"\xf0\x9f\x8c\x8a wave 12",
		"",
		"operator<< <std::char_traits<char> >(std::ostream&, char const*)",
	};
	uint32_t file = synth_file(synth, "/tmp/</script><svg onload=alert(1)>/\"x'", "", 0);
	uint32_t count = sizeof(names) / sizeof(*names);
	uint32_t frames[sizeof(names) / sizeof(*names)];

	for (uint32_t i = 0; i < count; i++)
		frames[i] = synth_frame(synth, names[i], i % 3 ? file : REPORT_NO_FILE, 0x1000 + i,
					i % 4);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t process = synth_process(synth, 200 + i, names[i], names[count - 1 - i]);
		const uint32_t stack[] = {frames[i], frames[count - 1 - i], frames[0]};

		synth_sample(synth, process, 200 + i, names[i], synth_stack(synth, stack, 3),
			     i % 5 ? TM_STOP_NONE : TM_STOP_FRAME_POINTER, i + 1);
		synth_sample(synth, process, 200 + i, "semi;colon", synth_stack(synth, stack, 1), 0,
			     1);
		synth_sample(synth, process, 200 + i, "semi_colon", synth_stack(synth, stack, 1), 0,
			     1);
	}
	synth->report.title = "</title><script>document.title='owned'</script>";
	synth->report.drops[TM_DROP_RING_FULL] = 7;
}

static void truncated(struct synth *synth)
{
	uint32_t file = synth_file(synth, "/usr/lib/libcut.so", "cafe", 0);
	uint32_t leaf = synth_frame(synth, "leaf", file, 0x1300, REPORT_NATIVE);
	uint32_t caller = synth_frame(synth, "libcut.so+0x1234", file, 0x1234, REPORT_NATIVE);
	uint32_t lost = synth_frame(synth, "[no_mapping]", REPORT_NO_FILE, 0, REPORT_UNRESOLVED);
	const uint32_t two[] = {leaf, caller};
	const uint32_t three[] = {leaf, lost, caller};
	uint32_t foreign[2];
	uint32_t memory = synth_file(synth, "memfd:\xf0\x9f\x8c\x8a sealed", "", 0);
	uint32_t stripped = synth_file(synth, "/bin/sh", "", 0);
	uint32_t process = synth_process(synth, 300, "cut", "/usr/bin/cut-short");
	uint32_t stacks[] = {synth_stack(synth, two, 2), synth_stack(synth, three, 3),
			     synth_stack(synth, two, 0)};

	foreign[0] = synth_frame(synth, "memfd: sealed+0x1020", memory, 0x1020, REPORT_NATIVE);
	foreign[1] = synth_frame(synth, "sh+0x5000", stripped, 0x5000, REPORT_NATIVE);
	synth_unnamed_file(synth, memory);
	synth_unnamed_file(synth, stripped);
	synth_sample(synth, process, 300, "cut", synth_stack(synth, foreign, 2), TM_STOP_NONE, 4);
	synth_sample(synth, process, 300, "cut", stacks[0], TM_STOP_NONE, 40);
	for (uint8_t stop = TM_STOP_NONE + 1; stop < TM_STOP_N; stop++)
		for (uint32_t i = 0; i < 3; i++)
			synth_sample(synth, process, 300, "cut", stacks[i], stop, stop * 3u + i);
	synth_sample(synth, process, 300, "cut", stacks[2], TM_STOP_NONE, 2);
	for (unsigned drop = 0; drop < TM_DROP_N; drop++)
		synth->report.drops[drop] = 10 + drop;
	for (unsigned reason = 0; reason < TM_NO_FILE_N; reason++)
		synth->report.unopened[reason] = 1 + reason;
	synth->report.not_run = 3;
	synth->report.late_records = 1;
}

struct forest { /* what the large report is made of */
	uint32_t files[12];
	uint32_t functions[LARGE_FUNCTIONS];
	uint32_t entry;
	uint64_t random;
};

static void plant(struct synth *synth, struct forest *forest)
{
	static const char *const paths[] = {
		"kernel",
		"ext4",
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/bin/postgres",
		"/usr/lib/jvm/java-17/lib/server/libjvm.so",
		"/usr/bin/python3.11",
		"/usr/bin/nginx",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/opt/app/bin/server",
		"/usr/lib/x86_64-linux-gnu/libz.so.1.2.13",
		"/usr/bin/dockerd",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	};
	static const char *const verbs[] = {"read",     "write",    "parse", "lookup",   "insert",
					    "flush",    "compress", "hash",  "schedule", "update",
					    "validate", "encode",   "merge", "walk"};
	static const char *const nouns[] = {"page",  "tuple",  "buffer",  "inode",  "request",
					    "frame", "index",  "socket",  "cursor", "timer",
					    "block", "header", "session", "string"};
	char name[128];

	for (uint32_t i = 0; i < 12; i++)
		forest->files[i] = synth_file(synth, paths[i], i < 2 ? "" : "0123abcd", i < 2);
	forest->entry = synth_frame(synth, "_start", forest->files[8], 0x1100, REPORT_NATIVE);
	for (uint32_t i = 0; i < LARGE_FUNCTIONS; i++) {
		uint32_t file = i % 12;
		enum report_kind kind = file < 2    ? REPORT_KERNEL
					: file == 5 ? REPORT_RUNTIME
						    : REPORT_NATIVE;

		snprintf(name, sizeof(name), "%s_%s_%u", verbs[next_random(&forest->random) % 14],
			 nouns[next_random(&forest->random) % 14], i);
		if (i % 17 == 0)
			snprintf(name, sizeof(name), "libopaque.so+0x%x", i * 16);
		forest->functions[i] =
			synth_frame(synth, name, forest->files[file], 0x2000 + 16ull * i, kind);
	}
}

/* A walk down a made-up call graph: each function calls a few others, some far more often. */
static uint32_t grow_stack(struct synth *synth, struct forest *forest, uint32_t process)
{
	uint32_t root_first[LARGE_DEPTH_MAX];
	uint32_t leaf_first[LARGE_DEPTH_MAX];
	uint32_t depth = 1;
	uint32_t at = process * 71 % LARGE_FUNCTIONS;

	root_first[0] = forest->entry;
	while (depth < LARGE_DEPTH_MAX) {
		uint32_t dice = next_random(&forest->random);
		uint32_t step = dice % 100 < 70 ? 0 : dice % 100 < 90 ? 1 : 2 + dice % 5;

		at = (at * 31 + 7 + step * 97) % LARGE_FUNCTIONS;
		if (at % 12 < 2 && depth < 12) /* the kernel comes last */
			at += 2;
		root_first[depth++] = forest->functions[at];
		if (depth > 12 && next_random(&forest->random) % 100 < 6)
			break;
	}
	for (uint32_t i = 0; i < depth; i++)
		leaf_first[i] = root_first[depth - 1 - i];
	return synth_stack(synth, leaf_first, depth);
}

static void large(struct synth *synth)
{
	static const char *const comms[] = {"postgres", "java",    "python3",     "nginx",
					    "server",   "dockerd", "kworker/0:1", "sshd"};
	struct forest forest = {.random = 42};
	char comm[32];

	plant(synth, &forest);
	for (uint32_t i = 0; i < LARGE_PROCESSES; i++)
		synth_process(synth, 1000 + 13 * i, comms[i % 8], "/opt/app/bin/server");
	for (uint32_t i = 0; i < LARGE_STACKS; i++) {
		uint32_t process = next_random(&forest.random) % LARGE_PROCESSES;
		uint32_t stack;

		process =
			process * (next_random(&forest.random) % LARGE_PROCESSES) / LARGE_PROCESSES;
		stack = grow_stack(synth, &forest, process % 8);
		snprintf(comm, sizeof(comm), "%s%s", comms[process % 8], i % 5 ? "" : "-io");
		synth_sample(synth, process, 1000 + 13 * process + (i % 5 ? 0 : i % 7), comm, stack,
			     i % 50 ? TM_STOP_NONE : TM_STOP_FRAME_POINTER,
			     1 + next_random(&forest.random) % 9);
	}
	synth->report.drops[TM_DROP_SHARED_FULL] = 12;
}

/* As deep as a stack gets: user and kernel frames at their limits, and one that recurses. */
static void deep(struct synth *synth)
{
	static uint32_t frames[TM_USER_FRAMES_MAX + TM_KERNEL_FRAMES_MAX];
	uint32_t count = sizeof(frames) / sizeof(*frames);
	uint32_t file = synth_file(synth, "/usr/bin/deep", "", 0);
	uint32_t process = synth_process(synth, 400, "deep", "/usr/bin/deep");

	for (uint32_t i = 0; i < count; i++)
		frames[i] = synth_frame(synth, "recurse", file, 0x1000 + i, REPORT_NATIVE);
	frames[0] = synth_frame(synth, "the_leaf", file, 0x9000, REPORT_NATIVE);
	synth_sample(synth, process, 400, "deep", synth_stack(synth, frames, count), TM_STOP_DEPTH,
		     5);
}

static void empty(struct synth *synth)
{
	synth->report.drops[TM_DROP_NO_RING] = 2;
}

int synth_case(struct synth *synth, const char *name)
{
	static const struct {
		const char *name;
		void (*make)(struct synth *synth);
	} cases[] = {{"tiny", tiny},   {"hostile", hostile}, {"truncated", truncated},
		     {"large", large}, {"deep", deep},       {"empty", empty}};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(cases[i].name, name) == 0) {
			cases[i].make(synth);
			return 0;
		}
	}
	return -1;
}
