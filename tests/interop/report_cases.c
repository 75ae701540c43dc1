/* SPDX-License-Identifier: Apache-2.0 */
/* report_cases - the named reports that the tests of the writers share */

#include <stdio.h>
#include <string.h>

#include "tests/interop/report_builder.h"

#define LARGE_STACKS    50000
#define LARGE_PROCESSES 40
#define LARGE_DEPTH_MAX 60
#define LARGE_FUNCTIONS 3000
#define LARGE_SLOTS     (1u << 17) /* more than twice the stacks */

/* A small fixed generator: the same report in every run and with every C library. */
static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}

/* Three functions 60/30/10, as in the shares that the page must show. */
static void tiny(struct report_builder *builder)
{
	uint32_t file = report_builder_file(builder, "/usr/bin/tiny", "aabb", 0);
	uint32_t kernel = report_builder_file(builder, "[kernel]", "", 1);
	uint32_t start = report_builder_frame(builder, "_start", file, 0x1100, REPORT_NATIVE);
	uint32_t main_frame = report_builder_frame(builder, "main", file, 0x1200, REPORT_NATIVE);
	uint32_t main_again = report_builder_frame(builder, "main", file, 0x1210, REPORT_NATIVE);
	uint32_t hot[] = {
		report_builder_frame(builder, "hot_sixty", file, 0x1300, REPORT_NATIVE),
		report_builder_frame(builder, "hot_thirty", file, 0x1400, REPORT_NATIVE),
		report_builder_frame(builder, "do_syscall_64", kernel, 0x100, REPORT_KERNEL),
	};
	uint32_t process = report_builder_process(builder, 100, "tiny", "/usr/bin/tiny");
	const uint64_t counts[] = {600, 300, 100};

	report_builder_cgroup(builder, process, "",
			      "34dc0b5e626f2c5c4c5170e34b10e7654ce36f0fcd532739f4445baabea03376",
			      "74c13223-5a00-11e9-b385-42010a80018d");
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t one[] = {hot[i], main_frame, start};
		const uint32_t other[] = {hot[i], main_again, start};

		report_builder_sample(builder, process, 100, "tiny",
				      report_builder_stack(builder, one, 3), 0, counts[i] / 2);
		report_builder_sample(builder, process, 101, "tiny-worker",
				      report_builder_stack(builder, other, 3), 0, counts[i] / 2);
	}
}

/* Names as an attacker would choose them, and two that become one when written as folded text. */
static void hostile(struct report_builder *builder)
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
	uint32_t file =
		report_builder_file(builder, "/tmp/</script><svg onload=alert(1)>/\"x'", "", 0);
	uint32_t count = sizeof(names) / sizeof(*names);
	uint32_t frames[sizeof(names) / sizeof(*names)];

	for (uint32_t i = 0; i < count; i++)
		frames[i] = report_builder_frame(builder, names[i], i % 3 ? file : REPORT_NO_FILE,
						 0x1000 + i, i % 4);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t process =
			report_builder_process(builder, 200 + i, names[i], names[count - 1 - i]);
		const uint32_t stack[] = {frames[i], frames[count - 1 - i], frames[0]};
		uint32_t leaf = report_builder_stack(builder, stack, 1);

		report_builder_sample(builder, process, 200 + i, names[i],
				      report_builder_stack(builder, stack, 3),
				      i % 5 ? TM_STOP_NONE : TM_STOP_FRAME_POINTER, i + 1);
		report_builder_sample(builder, process, 200 + i, "semi;colon", leaf, 0, 1);
		report_builder_sample(builder, process, 200 + i, "semi_colon", leaf, 0, 1);
	}
	builder->report.title = "</title><script>document.title='owned'</script>";
	builder->report.drops[TM_DROP_RING_FULL] = 7;
}

static void truncated(struct report_builder *builder)
{
	uint32_t file = report_builder_file(builder, "/usr/lib/libcut.so", "cafe", 0);
	uint32_t leaf = report_builder_frame(builder, "leaf", file, 0x1300, REPORT_NATIVE);
	uint32_t caller =
		report_builder_frame(builder, "libcut.so+0x1234", file, 0x1234, REPORT_NATIVE);
	uint32_t lost =
		report_builder_frame(builder, "[no_mapping]", REPORT_NO_FILE, 0, REPORT_UNRESOLVED);
	const uint32_t two[] = {leaf, caller};
	const uint32_t three[] = {leaf, lost, caller};
	uint32_t foreign[2];
	uint32_t memory = report_builder_file(builder, "memfd:\xf0\x9f\x8c\x8a sealed", "", 0);
	uint32_t stripped = report_builder_file(builder, "/bin/sh", "", 0);
	uint32_t process = report_builder_process(builder, 300, "cut", "/usr/bin/cut-short");
	uint32_t stacks[] = {report_builder_stack(builder, two, 2),
			     report_builder_stack(builder, three, 3),
			     report_builder_stack(builder, two, 0)};

	foreign[0] = report_builder_frame(builder, "memfd: sealed+0x1020", memory, 0x1020,
					  REPORT_NATIVE);
	foreign[1] = report_builder_frame(builder, "sh+0x5000", stripped, 0x5000, REPORT_NATIVE);
	report_builder_unnamed_file(builder, memory);
	report_builder_unnamed_file(builder, stripped);
	report_builder_sample(builder, process, 300, "cut",
			      report_builder_stack(builder, foreign, 2), TM_STOP_NONE, 4);
	report_builder_sample(builder, process, 300, "cut", stacks[0], TM_STOP_NONE, 40);
	for (uint8_t stop = TM_STOP_NONE + 1; stop < TM_STOP_N; stop++)
		for (uint32_t i = 0; i < 3; i++)
			report_builder_sample(builder, process, 300, "cut", stacks[i], stop,
					      stop * 3u + i);
	report_builder_sample(builder, process, 300, "cut", stacks[2], TM_STOP_NONE, 2);
	for (unsigned drop = 0; drop < TM_DROP_N; drop++)
		builder->report.drops[drop] = 10 + drop;
	for (unsigned reason = 0; reason < TM_NO_FILE_N; reason++)
		builder->report.unopened[reason] = 1 + reason;
	for (unsigned reason = 0; reason < TM_UNNAMED_N; reason++)
		builder->report.unnamed[reason] = 200 + reason;
	builder->report.merged = 6;
	builder->report.not_run = 3;
	builder->report.late_records = 1;
}

struct call_graph { /* what the large report is made of */
	uint32_t files[12];
	uint32_t functions[LARGE_FUNCTIONS];
	uint32_t entry;
	uint64_t random;
	uint64_t *hashes; /* of the stacks so far, LARGE_SLOTS */
};

static void make_functions(struct report_builder *builder, struct call_graph *graph)
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
		graph->files[i] =
			report_builder_file(builder, paths[i], i < 2 ? "" : "0123abcd", i < 2);
	graph->entry =
		report_builder_frame(builder, "_start", graph->files[8], 0x1100, REPORT_NATIVE);
	for (uint32_t i = 0; i < LARGE_FUNCTIONS; i++) {
		uint32_t file = i % 12;
		enum report_kind kind = file < 2    ? REPORT_KERNEL
					: file == 5 ? REPORT_RUNTIME
						    : REPORT_NATIVE;

		snprintf(name, sizeof(name), "%s_%s_%u", verbs[next_random(&graph->random) % 14],
			 nouns[next_random(&graph->random) % 14], i);
		if (i % 17 == 0)
			snprintf(name, sizeof(name), "libopaque.so+0x%x", i * 16);
		graph->functions[i] = report_builder_frame(builder, name, graph->files[file],
							   0x2000 + 16ull * i, kind);
	}
}

/* A path through the call graph: each function calls a few others, some far more often. */
static uint32_t walk(struct call_graph *graph, uint32_t process, uint32_t *root_first)
{
	uint32_t depth = 1;
	uint32_t at = process * 71 % LARGE_FUNCTIONS;

	root_first[0] = graph->entry;
	while (depth < LARGE_DEPTH_MAX) {
		uint32_t dice = next_random(&graph->random);
		uint32_t step = dice % 100 < 70 ? 0 : dice % 100 < 90 ? 1 : 2 + dice % 5;

		at = (at * 31 + 7 + step * 97) % LARGE_FUNCTIONS;
		if (at % 12 < 2 && depth < 12) /* the kernel comes last */
			at += 2;
		root_first[depth++] = graph->functions[at];
		if (depth > 12 && next_random(&graph->random) % 100 < 6)
			break;
	}
	return depth;
}

static bool is_new(struct call_graph *graph, const uint32_t *frames, uint32_t count)
{
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a, by words */
	uint64_t at;

	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ frames[i]) * 0x100000001b3;
	at = hash % LARGE_SLOTS;
	while (graph->hashes[at] != 0 && graph->hashes[at] != hash)
		at = (at + 1) % LARGE_SLOTS;
	if (graph->hashes[at] == hash)
		return false;
	graph->hashes[at] = hash;
	return true;
}

/* No two stacks of a report are equal. */
static uint32_t add_stack(struct report_builder *builder, struct call_graph *graph,
			  uint32_t process)
{
	uint32_t root_first[LARGE_DEPTH_MAX];
	uint32_t leaf_first[LARGE_DEPTH_MAX];
	uint32_t depth;

	do
		depth = walk(graph, process, root_first);
	while (!is_new(graph, root_first, depth));
	for (uint32_t i = 0; i < depth; i++)
		leaf_first[i] = root_first[depth - 1 - i];
	return report_builder_stack(builder, leaf_first, depth);
}

static void large(struct report_builder *builder)
{
	static const char *const comms[] = {"postgres", "java",    "python3",     "nginx",
					    "server",   "dockerd", "kworker/0:1", "sshd"};
	static uint64_t hashes[LARGE_SLOTS];
	struct call_graph graph = {.random = 42, .hashes = memset(hashes, 0, sizeof(hashes))};
	char comm[32];

	make_functions(builder, &graph);
	for (uint32_t i = 0; i < LARGE_PROCESSES; i++)
		report_builder_process(builder, 1000 + 13 * i, comms[i % 8], "/opt/app/bin/server");
	for (uint32_t i = 0; i < LARGE_STACKS; i++) {
		uint32_t process = next_random(&graph.random) % LARGE_PROCESSES;
		uint32_t stack;

		process =
			process * (next_random(&graph.random) % LARGE_PROCESSES) / LARGE_PROCESSES;
		stack = add_stack(builder, &graph, process % 8);
		snprintf(comm, sizeof(comm), "%s%s", comms[process % 8], i % 5 ? "" : "-io");
		report_builder_sample(builder, process, 1000 + 13 * process + (i % 5 ? 0 : i % 7),
				      comm, stack, i % 50 ? TM_STOP_NONE : TM_STOP_FRAME_POINTER,
				      1 + next_random(&graph.random) % 9);
	}
	builder->report.drops[TM_DROP_SHARED_FULL] = 12;
}

/*
 * On-CPU samples of full and of double weight beside off-CPU ones: some of the same stack and
 * thread, some of a stack, a thread and a process that were never on a CPU.
 */
static void kinds(struct report_builder *builder)
{
	uint32_t file = report_builder_file(builder, "/usr/bin/waiter", "cc01", 0);
	uint32_t kernel = report_builder_file(builder, "[kernel]", "", 1);
	uint32_t main_frame = report_builder_frame(builder, "main", file, 0x1200, REPORT_NATIVE);
	uint32_t busy[] = {report_builder_frame(builder, "compute", file, 0x1300, REPORT_NATIVE),
			   main_frame};
	uint32_t waits[] = {report_builder_frame(builder, "schedule", kernel, 0x1, REPORT_KERNEL),
			    report_builder_frame(builder, "read", file, 0x1400, REPORT_NATIVE),
			    main_frame};
	uint32_t waiter = report_builder_process(builder, 100, "waiter", "/usr/bin/waiter");
	uint32_t sleeper = report_builder_process(builder, 200, "sleeper", "/usr/bin/waiter");
	uint32_t computes = report_builder_stack(builder, busy, 2);
	uint32_t reads = report_builder_stack(builder, waits, 3);
	uint32_t sample;

	report_builder_sample(builder, waiter, 100, "waiter", computes, 0, 30);
	report_builder_sample(builder, waiter, 100, "waiter", reads, 0, 10);
	sample = report_builder_sample(builder, waiter, 100, "waiter", computes, 0, 10);
	report_builder_measured(builder, sample, TM_SAMPLE_ON_CPU,
				20ull * REPORT_BUILDER_PERIOD_NS);
	sample = report_builder_sample(builder, waiter, 100, "waiter", reads, 0, 3);
	report_builder_measured(builder, sample, TM_SAMPLE_OFF_CPU, 6000000001);
	sample = report_builder_sample(builder, sleeper, 200, "sleeper", reads, 0, 2);
	report_builder_measured(builder, sample, TM_SAMPLE_OFF_CPU, 24000000002);
}

/* As deep as a stack gets: user and kernel frames at their limits, and one that recurses. */
static void deep(struct report_builder *builder)
{
	static uint32_t frames[TM_USER_FRAMES_MAX + TM_KERNEL_FRAMES_MAX];
	uint32_t count = sizeof(frames) / sizeof(*frames);
	uint32_t file = report_builder_file(builder, "/usr/bin/deep", "", 0);
	uint32_t process = report_builder_process(builder, 400, "deep", "/usr/bin/deep");

	for (uint32_t i = 0; i < count; i++)
		frames[i] =
			report_builder_frame(builder, "recurse", file, 0x1000 + i, REPORT_NATIVE);
	frames[0] = report_builder_frame(builder, "the_leaf", file, 0x9000, REPORT_NATIVE);
	report_builder_sample(builder, process, 400, "deep",
			      report_builder_stack(builder, frames, count), TM_STOP_DEPTH, 5);
}

static void empty(struct report_builder *builder)
{
	builder->report.drops[TM_DROP_NO_RING] = 2;
}

int report_case(struct report_builder *builder, const char *name)
{
	static const struct {
		const char *name;
		void (*make)(struct report_builder *builder);
	} cases[] = {{"tiny", tiny},
		     {"hostile", hostile},
		     {"truncated", truncated},
		     {"large", large},
		     {"kinds", kinds},
		     {"deep", deep},
		     {"empty", empty},
		     {"inlined", report_case_inlined},
		     {"threads", report_case_threads},
		     {"resources", report_case_resources},
		     {"runtimes", report_case_runtimes},
		     {"compared", report_case_compared}};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(cases[i].name, name) == 0) {
			cases[i].make(builder);
			return 0;
		}
	}
	return -1;
}
