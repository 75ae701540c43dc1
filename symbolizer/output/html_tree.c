/* SPDX-License-Identifier: Apache-2.0 */
/* html_tree - all stacks of a report as one tree of functions, as the HTML page contains it */

#include "symbolizer/output/html_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/stack_order.h"

struct growth {
	const struct report *report;
	const uint32_t *classes; /* of each call: what makes it a node of its own */
	const uint32_t *ranks;   /* of each stack */
	const uint32_t *threads; /* of each sample */
	uint32_t *path;          /* nodes of the last sample */
	uint32_t path_length;
};

static int compare_threads(uint32_t a, uint32_t b, const void *context)
{
	const struct report *report = context;
	const struct report_sample *left = &report->samples[a];
	const struct report_sample *right = &report->samples[b];
	int order = sort_by_number(left->process, right->process);

	if (order == 0)
		order = sort_by_number(left->tid, right->tid);
	return order != 0 ? order : sort_by_number(left->comm, right->comm);
}

static bool is_base(const struct report_sample *sample)
{
	return (sample->flags & REPORT_SAMPLE_BASE) != 0;
}

static int compare_samples(uint32_t a, uint32_t b, const void *context)
{
	const struct growth *growth = context;
	const struct report_sample *left = &growth->report->samples[a];
	const struct report_sample *right = &growth->report->samples[b];
	int order = sort_by_number(left->stop, right->stop);

	if (order == 0)
		order = sort_by_number(growth->ranks[left->stack], growth->ranks[right->stack]);
	if (order == 0)
		order = sort_by_number(left->state, right->state);
	if (order == 0)
		order = sort_by_number(growth->threads[a], growth->threads[b]);
	if (order == 0)
		order = sort_by_number(left->kind, right->kind);
	return order != 0 ? order : sort_by_number(is_base(left), is_base(right));
}

/* Return: the thread of each sample (free it), or NULL without memory. */
static uint32_t *find_threads(struct html_tree *tree, const struct report *report)
{
	size_t capacity = (size_t)report->sample_count + 1;
	_cleanup_(tm_freep) uint32_t *order =
		sort_new(report->sample_count, compare_threads, report);
	_cleanup_(tm_freep) uint32_t *threads = malloc(sizeof(*threads) * capacity);

	tree->threads = malloc(sizeof(*tree->threads) * capacity);
	if (!order || !threads || !tree->threads)
		return NULL;
	for (uint32_t i = 0; i < report->sample_count; i++) {
		const struct report_sample *sample = &report->samples[order[i]];

		if (i == 0 || compare_threads(order[i - 1], order[i], report) != 0)
			tree->threads[tree->thread_count++] = (struct html_tree_thread){
				.process = sample->process,
				.tid = sample->tid,
				.comm = sample->comm,
			};
		threads[order[i]] = tree->thread_count - 1;
	}
	return TM_TAKE_PTR(threads);
}

/* Functions are nodes of their own where they are called and where they are inlined. */
static uint32_t *classify_calls(const struct functions *functions, const struct report *report)
{
	uint32_t *classes = malloc(sizeof(*classes) * ((size_t)report->call_count + 1));

	for (uint32_t i = 0; classes && i < report->frame_count; i++) {
		const struct report_frame *frame = &report->frames[i];

		for (uint32_t j = 0; j < frame->call_count; j++) {
			uint32_t call = frame->first_call + j;
			uint32_t inlined = j + 1 < frame->call_count ? 1 : 0;

			classes[call] = 2 * functions->of_call[call] + inlined;
		}
	}
	return classes;
}

static int grow_nodes(struct html_tree *tree)
{
	uint32_t need = tree->node_count + 1;

	return budget_grow(tree->budget, &tree->up, &tree->up_capacity, need, sizeof(*tree->up)) ||
			       budget_grow(tree->budget, &tree->class, &tree->class_capacity, need,
					   sizeof(*tree->class)) ||
			       budget_grow(tree->budget, &tree->lines, &tree->lines_capacity, need,
					   sizeof(*tree->lines))
		       ? -ENOMEM
		       : 0;
}

static int add_node(struct html_tree *tree, uint32_t up, uint32_t class)
{
	int r = grow_nodes(tree);

	if (r < 0)
		return r;
	tree->up[tree->node_count] = up;
	tree->class[tree->node_count] = class;
	tree->lines[tree->node_count] = (struct html_tree_lines){0};
	tree->node_count++;
	return 0;
}

static void widen_lines(struct html_tree *tree, uint32_t node, uint32_t line)
{
	struct html_tree_lines *lines = &tree->lines[node];

	if (line == 0)
		return;
	tree->has_lines = true;
	if (lines->first == 0 || line < lines->first)
		lines->first = line;
	if (line > lines->last)
		lines->last = line;
}

/* Goes down to a node of @class at @depth: that of the last sample's path, or a new one. */
static int descend(struct html_tree *tree, struct growth *growth, uint32_t depth, uint32_t class)
{
	int r;

	if (depth < growth->path_length && tree->class[growth->path[depth]] == class)
		return 0;
	r = add_node(tree, growth->path_length - depth, class);
	if (r < 0)
		return r;
	growth->path[depth] = tree->node_count - 1;
	growth->path_length = depth + 1;
	return 0;
}

/* The function of an off-CPU sample's state, behind those of the reasons. */
static uint32_t state_function(const struct html_tree *tree, unsigned state)
{
	return tree->functions.count + (TM_STOP_N - TM_STOP_NONE - 1) + state - 1;
}

/*
 * Nodes of a sample's path that the one before does not have: its reason, then its calls, then the
 * state of an off-CPU sample.
 */
static int add_path(struct html_tree *tree, struct growth *growth,
		    const struct report_sample *sample)
{
	const struct report *report = growth->report;
	struct stack_walk walk = stack_walk_start(report, &report->stacks[sample->stack]);
	uint32_t depth = 0, call;
	int r = 0;

	if (sample->stop != TM_STOP_NONE)
		r = descend(tree, growth, depth++, 2 * (tree->functions.count + sample->stop - 1));
	while (r == 0 && (call = stack_walk_next(&walk)) != STACK_WALK_END) {
		r = descend(tree, growth, depth, growth->classes[call]);
		if (r == 0)
			widen_lines(tree, growth->path[depth++], report->calls[call].line);
	}
	if (r == 0 && report_sample_ends_in_state(sample))
		r = descend(tree, growth, depth++, 2 * state_function(tree, sample->state));
	if (r == 0)
		growth->path_length = depth;
	return r;
}

static int grow(struct html_tree *tree, struct growth *growth, const uint32_t *order)
{
	const struct report *report = growth->report;

	for (uint32_t i = 0; i < report->sample_count; i++) {
		const struct report_sample *sample = &report->samples[order[i]];
		struct html_tree_sample *merged = &tree->samples[tree->sample_count];
		int r = add_path(tree, growth, sample);

		if (r < 0)
			return r;
		if (i > 0 && compare_samples(order[i - 1], order[i], growth) == 0) {
			merged[-1].count += sample->count;
			merged[-1].value += sample->value;
			continue;
		}
		merged->node = growth->path_length > 0 ? growth->path[growth->path_length - 1]
						       : HTML_TREE_NO_NODE;
		merged->thread = growth->threads[order[i]];
		merged->kind = sample->kind;
		merged->base = is_base(sample);
		merged->count = sample->count;
		merged->value = sample->value;
		tree->sample_count++;
	}
	return 0;
}

/* Return: room for the nodes of any sample's path (free it), or NULL without memory. */
static uint32_t *new_path(const struct report *report)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < report->stack_count; i++) {
		const uint32_t *frames = &report->stack_frames[report->stacks[i].first];
		uint64_t length = 0;

		for (uint32_t j = 0; j < report->stacks[i].count; j++)
			length += report->frames[frames[j]].call_count;
		longest = length > longest ? length : longest;
	}
	return calloc(longest + 2, sizeof(uint32_t)); /* and the reason, and the state */
}

int html_tree_init(struct html_tree *tree, const struct report *report)
{
	_cleanup_(tm_freep) uint32_t *classes = NULL;
	_cleanup_(tm_freep) uint32_t *ranks = NULL;
	_cleanup_(tm_freep) uint32_t *threads = NULL;
	_cleanup_(tm_freep) uint32_t *path = new_path(report);
	_cleanup_(tm_freep) uint32_t *order = NULL;
	struct growth growth = {.report = report, .path = path};
	int r;

	*tree = (struct html_tree){.unlimited.limit = UINT64_MAX};
	tree->budget = report->memory ? report->memory : &tree->unlimited;
	r = functions_init(&tree->functions, report);
	if (r < 0)
		return r;
	growth.classes = classes = classify_calls(&tree->functions, report);
	if (!classes || !path)
		return -ENOMEM;
	growth.ranks = ranks = stack_order_new(report, classes);
	growth.threads = threads = find_threads(tree, report);
	tree->samples = malloc(sizeof(*tree->samples) * ((size_t)report->sample_count + 1));
	if (!ranks || !threads || !tree->samples)
		return -ENOMEM;
	order = sort_new(report->sample_count, compare_samples, &growth);
	if (!order)
		return -ENOMEM;
	return grow(tree, &growth, order);
}

void html_tree_deinit(struct html_tree *tree)
{
	functions_deinit(&tree->functions);
	if (tree->budget) {
		budget_drop(tree->budget, &tree->up, &tree->up_capacity, sizeof(*tree->up));
		budget_drop(tree->budget, &tree->class, &tree->class_capacity,
			    sizeof(*tree->class));
		budget_drop(tree->budget, &tree->lines, &tree->lines_capacity,
			    sizeof(*tree->lines));
	}
	free(tree->threads);
	free(tree->samples);
	*tree = (struct html_tree){0};
}
