/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lying_python - has the symbols of CPython 3.11, and structures in memory that lie
 *
 * usage: lying_python LIE MS - tells one of `lies` for MS milliseconds of CPU time, and has its
 *        name for the name of its thread. `honest` is the one whose structures are right.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "tests/integration/programs/noinline.h"
#include "tests/integration/programs/spin.h"

/* What was written is in memory, where the profiler reads it. */
#define WRITTEN()    __asm__ volatile("" ::: "memory")

#define KIND_SHIFT   2 /* of struct string's state */
#define COMPACT      (1u << 5)
#define ASCII        (1u << 6)
#define LONG_NAME    65536u
#define LONG_LINES   (1u << 20)
#define MANY_FRAMES  2000
#define UNMAPPED     ((void *)0x123456789000)
#define KERNEL       ((void *)0xffff888000000000)
#define NONCANONICAL ((void *)0x8000000000000000)

/* As CPython 3.11 lays them out; what it has beside that is left empty. */
struct string {
	uint64_t head[2];
	uint64_t length;
	uint64_t hash;
	uint64_t state;
	uint64_t other;
	char text[LONG_NAME + 64];
};

struct bytes {
	uint64_t head[2];
	uint64_t length;
	uint64_t other;
	uint8_t data[LONG_LINES];
};

struct code {
	uint64_t head[9];
	uint32_t first_line;
	uint32_t other[9];
	void *file;
	void *name;
	void *qualified_name;
	void *lines;
	uint64_t others[5];
	uint16_t instructions[64];
};

struct frame {
	uint64_t head[4];
	void *code;
	uint64_t other;
	void *previous;
	void *instruction;
	uint32_t top;
	uint8_t is_entry;
};

struct chain {
	uint64_t use_tracing;
	void *frame;
	struct chain *previous;
};

struct thread {
	struct thread *previous;
	struct thread *next;
	struct interpreter *interpreter;
	uint64_t other[4];
	struct chain *chain;
	uint64_t others[11];
	uint64_t id;
};

struct interpreter {
	struct interpreter *next;
	uint64_t other;
	struct thread *threads;
};

struct runtime {
	uint64_t head[5];
	struct interpreter *interpreters;
	uint64_t others[64];
};

_Static_assert(offsetof(struct code, first_line) == 72, "layout");
_Static_assert(offsetof(struct code, file) == 112, "layout");
_Static_assert(offsetof(struct code, qualified_name) == 128, "layout");
_Static_assert(offsetof(struct code, lines) == 136, "layout");
_Static_assert(offsetof(struct code, instructions) == 184, "layout");
_Static_assert(offsetof(struct frame, code) == 32, "layout");
_Static_assert(offsetof(struct frame, previous) == 48, "layout");
_Static_assert(offsetof(struct frame, is_entry) == 68, "layout");
_Static_assert(offsetof(struct thread, chain) == 56, "layout");
_Static_assert(offsetof(struct thread, id) == 152, "layout");
_Static_assert(offsetof(struct string, text) == 48, "layout");
_Static_assert(offsetof(struct bytes, data) == 32, "layout");

extern const unsigned long Py_Version;
extern struct runtime _PyRuntime;
__attribute__((used, visibility("default"))) const unsigned long Py_Version = 0x030b02f0;
__attribute__((visibility("default"))) struct runtime _PyRuntime;

static struct interpreter interpreter;
static struct thread thread;
static struct frame frames[3]; /* the innermost first */
static struct frame *first = &frames[0];
static struct code code;
static struct string name, other_name, file;
static struct bytes lines;
static atomic_bool over;

static void text_set(struct string *string, const char *text)
{
	string->length = strlen(text);
	string->state = 1u << KIND_SHIFT | COMPACT | ASCII;
	memcpy(string->text, text, string->length);
}

/* The structures of a thread that runs three functions of one name. */
static void tell_truth(void)
{
	text_set(&name, "lying_function");
	text_set(&other_name, "lying_function_too");
	text_set(&file, "/lying.py");
	lines.length = 2;
	lines.data[0] = 0x80 | 13 << 3; /* a line's length follows, without columns */
	code = (struct code){.first_line = 7,
			     .file = &file,
			     .name = &name,
			     .qualified_name = &name,
			     .lines = &lines};
	for (int i = 0; i < 3; i++)
		frames[i] = (struct frame){.code = &code,
					   .previous = i < 2 ? &frames[i + 1] : NULL,
					   .instruction = code.instructions,
					   .is_entry = i == 2};
	_PyRuntime.interpreters = &interpreter;
	interpreter.threads = &thread;
	thread.interpreter = &interpreter;
	thread.id = (uint64_t)pthread_self();
}

static void honest(void)
{
}

static void cyclic_frames(void)
{
	frames[1].previous = &frames[0];
}

/* The thread is in none of the lists. */
static void cyclic_threads(void)
{
	static struct thread ring[2];

	ring[0] = (struct thread){.next = &ring[1], .interpreter = &interpreter};
	ring[1] = (struct thread){.next = &ring[0], .interpreter = &interpreter};
	interpreter.threads = ring;
}

static void cyclic_interpreters(void)
{
	interpreter.next = &interpreter;
	interpreter.threads = NULL;
}

static void unmapped(void)
{
	frames[0].previous = UNMAPPED;
	code.file = KERNEL;
	code.lines = NONCANONICAL;
}

static void kernel_frames(void)
{
	frames[0].code = KERNEL;
	frames[0].previous = KERNEL;
}

/* Controls, what separates frames and lines in the outputs, and no UTF-8. */
static void long_names(void)
{
	static const char text[] = "\n\r\033[31m;INJECTED 1\n;INJECTED\t<script>\200\377\0";

	for (size_t i = 0; i < sizeof(name.text); i++)
		name.text[i] = text[i % (sizeof(text) - 1)];
	memcpy(file.text, name.text, sizeof(name.text));
	name.length = file.length = LONG_NAME;
	name.state = file.state = 1u << KIND_SHIFT | COMPACT;
}

static void invalid_widths(void)
{
	name.state = 3u << KIND_SHIFT | COMPACT | ASCII;
	file.state = 7u << KIND_SHIFT | COMPACT;
	name.length = UINT64_MAX;
	file.length = 1ull << 40;
}

static void wide_names(void)
{
	memset(name.text, 0xd8, sizeof(name.text)); /* surrogates, beyond all characters in UCS-4 */
	name.state = 4u << KIND_SHIFT | COMPACT;
	name.length = LONG_NAME / 4;
	memset(file.text, 0xd8, sizeof(file.text));
	file.state = 2u << KIND_SHIFT | COMPACT;
	file.length = LONG_NAME / 2;
}

static void long_lines(void)
{
	memset(lines.data, 0xff, sizeof(lines.data));
	lines.length = sizeof(lines.data);
	frames[0].instruction = (void *)UINT64_MAX;
	frames[1].instruction = NULL;
}

static void *change(void *context)
{
	struct string *const names[] = {&name, &other_name, UNMAPPED};

	(void)context;
	for (uint32_t i = 0; !atomic_load_explicit(&over, memory_order_relaxed); i++) {
		code.qualified_name = names[i % 3];
		code.first_line = i;
		code.lines = i % 5 ? (void *)&lines : NULL;
		name.length = i % 7 ? 14 : LONG_NAME;
		name.hash = i;
		name.state = (uint64_t)(i % 8) << KIND_SHIFT | COMPACT | (i % 2 ? ASCII : 0);
		WRITTEN();
	}
	return NULL;
}

static void start(void *(*routine)(void *))
{
	pthread_t changer;

	if (pthread_create(&changer, NULL, routine, NULL))
		exit(1);
}

static void changing(void)
{
	start(change);
}

/* Each is another function all the time. */
static struct code many_codes[MANY_FRAMES];

static void *renew(void *context)
{
	(void)context;
	for (uint32_t i = 0; !atomic_load_explicit(&over, memory_order_relaxed); i++) {
		many_codes[i % MANY_FRAMES].first_line = i;
		WRITTEN();
	}
	return NULL;
}

static void many_functions(void)
{
	static struct frame many[MANY_FRAMES];

	for (int i = 0; i < MANY_FRAMES; i++) {
		many_codes[i] = code;
		many[i] = frames[0];
		many[i].code = &many_codes[i];
		many[i].previous = i + 1 < MANY_FRAMES ? &many[i + 1] : &frames[0];
	}
	frames[0].previous = NULL;
	frames[0].is_entry = true;
	first = &many[0];
	start(renew);
}

static const struct {
	const char *name;
	void (*tell)(void);
} lies[] = {
	{"honest", honest},
	{"cyclic_frames", cyclic_frames},
	{"cyclic_threads", cyclic_threads},
	{"cyclic_states", cyclic_interpreters},
	{"unmapped", unmapped},
	{"kernel_frames", kernel_frames},
	{"long_names", long_names},
	{"invalid_widths", invalid_widths},
	{"wide_names", wide_names},
	{"long_lines", long_lines},
	{"changing", changing},
	{"many_functions", many_functions},
};

static int64_t cpu_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The loop: its _PyCFrame lies on its stack. */
extern uint64_t _PyEval_EvalFrameDefault(int64_t end_ms);
__attribute__((visibility("default"))) noinline uint64_t _PyEval_EvalFrameDefault(int64_t end_ms)
{
	struct chain chain = {.frame = first, .previous = thread.chain};
	uint64_t x = 1;

	thread.chain = &chain;
	WRITTEN();
	while (cpu_ms() < end_ms)
		SPIN_CHAIN(x, 100000);
	thread.chain = chain.previous;
	__asm__ volatile(".fill 8192, 1, 0x90"); /* the real one is not small */
	return x;
}

int main(int argc, char **argv)
{
	char comm[16];

	for (size_t i = 0; argc == 3 && i < sizeof(lies) / sizeof(lies[0]); i++) {
		if (strcmp(argv[1], lies[i].name) != 0)
			continue;
		(void)snprintf(comm, sizeof(comm), "lie-%s", lies[i].name);
		(void)prctl(PR_SET_NAME, comm);
		tell_truth();
		lies[i].tell();
		(void)_PyEval_EvalFrameDefault(strtol(argv[2], NULL, 10));
		atomic_store_explicit(&over, true, memory_order_relaxed);
		return 0;
	}
	return 2;
}
