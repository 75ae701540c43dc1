/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * html_tree - all stacks of a report as one tree of functions, as the HTML page contains it
 *
 * Shape      nodes in preorder, so that a node needs no parent: up[i] is how many levels to go up
 *            from node i - 1 before going down to i (0: a child of i - 1). A node is one function
 *            below its caller, or one that is inlined into it. A truncated stack begins with the
 *            node of its reason: function = functions.count + stop - 1. The stack of an off-CPU
 *            sample ends in the node of its thread's state, whose functions follow those.
 *            Samples are merged per (stack, thread, kind, side) and refer to their leaf;
 *            HTML_TREE_NO_NODE: a stack without frames.
 *            A thread is (process, tid, name): one that renames itself appears twice.
 */

#include <stdint.h>

#include "symbolizer/base/budget.h"
#include "symbolizer/output/functions.h"
#include "symbolizer/output/report.h"

#define HTML_TREE_NO_NODE 0xffffffffu

struct html_tree_thread {
	uint32_t process;
	uint32_t tid;
	uint32_t comm;
};

struct html_tree_sample {
	uint32_t node;
	uint32_t thread;
	uint8_t kind; /* enum tm_sample_kind */
	bool base;    /* of a comparison: as REPORT_SAMPLE_BASE */
	uint64_t count;
	uint64_t value; /* ns */
};

struct html_tree_lines { /* of the source file that a node's samples are in; 0: not known */
	uint32_t first;
	uint32_t last;
};

struct html_tree {
	struct functions functions;
	uint32_t *up;
	uint32_t *class; /* 2 * function + 1 if inlined */
	struct html_tree_lines *lines;
	struct html_tree_thread *threads;
	struct html_tree_sample *samples; /* by node, thread, kind */
	uint32_t node_count;
	uint32_t up_capacity, class_capacity, lines_capacity;
	struct budget *budget;   /* borrowed: of the nodes */
	struct budget unlimited; /* where the report has none */
	uint32_t thread_count, sample_count;
	bool has_lines; /* of any node */
};

/* Return: 0, -ENOMEM. Call html_tree_deinit either way. */
int html_tree_init(struct html_tree *tree, const struct report *report);
void html_tree_deinit(struct html_tree *tree);
