/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf_hot - loads BPF programs and lets the kernel run each of them without a pause
 *
 * bpf_hot SECONDS SECONDS: loads `hot_first` and runs it for that long, unloads it, and does the
 * same with `hot_second`. The loop of the second one lies behind as many instructions as the whole
 * first one has, over which it jumps: so where it is loaded in its place, it runs at other
 * addresses but for its first few instructions, which are one in a hundred thousand.
 */

#include <bpf/bpf.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/integration/programs/noinline.h"

#define PADDING 200    /* instructions, more than the first program has */
#define LOOPS   300000 /* of two instructions; the verifier follows a million */
#define REPEAT  100    /* runs per call */
#define BYTES   64     /* of the packet a program runs on; the padding is for INT_MAX */

/* Return: descriptor of the program, -errno. */
static int load(const char *name, int padding)
{
	struct bpf_insn program[PADDING + 6];
	int at = 0;

	program[at++] = (struct bpf_insn){.code = BPF_LDX | BPF_MEM | BPF_W,
					  .dst_reg = BPF_REG_2,
					  .src_reg = BPF_REG_1,
					  .off = offsetof(struct __sk_buff, len)};
	program[at++] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K};
	if (padding)
		program[at++] = (struct bpf_insn){.code = BPF_JMP | BPF_JNE | BPF_K,
						  .dst_reg = BPF_REG_2,
						  .off = (short)padding,
						  .imm = INT_MAX};
	for (int i = 0; i < padding; i++)
		program[at++] = (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_K, .imm = 1};
	program[at++] = (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_K, .imm = 1};
	program[at++] =
		(struct bpf_insn){.code = BPF_JMP | BPF_JLT | BPF_K, .off = -2, .imm = LOOPS};
	program[at++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
	return bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, name, "GPL", program, (size_t)at, NULL);
}

static int run(int program, time_t seconds)
{
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end) {
		static char packet[BYTES];
		LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = packet,
			    .data_size_in = sizeof(packet), .repeat = REPEAT);
		int r = bpf_prog_test_run_opts(program, &options);

		if (r < 0 && errno != EINTR)
			return r;
	}
	return 0;
}

noinline static int run_first(int program, time_t seconds)
{
	int r = run(program, seconds);

	__asm__ volatile(""); /* so that it is no tail call */
	return r;
}

noinline static int run_second(int program, time_t seconds)
{
	int r = run(program, seconds);

	__asm__ volatile("");
	return r;
}

static int try(const char *name, int padding, int (*run_it)(int, time_t), const char *seconds)
{
	int program = load(name, padding);

	if (program < 0 || run_it(program, (time_t)strtol(seconds, NULL, 10)) < 0) {
		(void)fprintf(stderr, "bpf_hot: %s: %s\n", name, strerror(errno));
		return 1;
	}
	return close(program) < 0;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	return try("hot_first", 0, run_first, argv[1]) ||
	       try("hot_second", PADDING, run_second, argv[2]);
}
