/* SPDX-License-Identifier: Apache-2.0 */
/* html_tree - all stacks of a report as one tree of functions, as the HTML page contains it */

#include "symbolizer/output/html_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/stack_order.h"

#define NODES_AT_FIRST 1024

struct growth {
	const struct report *report;
	const uint32_t *ranks;   /* of each stack */
	const uint32_t *threads; /* of each sample */
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

static int compare_paths(uint32_t a, uint32_t b, const void *context)
{
	const struct growth *growth = context;
	const struct report_sample *left = &growth->report->samples[a];
	const struct report_sample *right = &growth->report->samples[b];
	int order = sort_by_number(left->stop, right->stop);

	return order != 0 ? order
			  : sort_by_number(growth->ranks[left->stack], growth->ranks[right->stack]);
}

static int compare_samples(uint32_t a, uint32_t b, const void *context)
{
	const struct growth *growth = context;
	int order = compare_paths(a, b, context);

	return order != 0 ? order : sort_by_number(growth->threads[a], growth->threads[b]);
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

static int add_node(struct html_tree *tree, uint32_t up, uint32_t function)
{
	if (tree->node_count == tree->node_capacity) {
		uint32_t capacity =
			tree->node_capacity > 0 ? 2 * tree->node_capacity : NODES_AT_FIRST;
		uint32_t *ups = realloc(tree->up, sizeof(*ups) * capacity);
		uint32_t *functions;

		if (!ups)
			return -ENOMEM;
		tree->up = ups;
		functions = realloc(tree->function, sizeof(*functions) * capacity);
		if (!functions)
			return -ENOMEM;
		tree->function = functions;
		tree->node_capacity = capacity;
	}
	tree->up[tree->node_count] = up;
	tree->function[tree->node_count] = function;
	tree->node_count++;
	return 0;
}

/* Length of a sample's path: its frames, and the node of its reason. */
static uint32_t path_length(const struct report *report, const struct report_sample *sample)
{
	return report->stacks[sample->stack].count + (sample->stop != TM_STOP_NONE ? 1u : 0u);
}

static uint32_t path_function(const struct html_tree *tree, const struct report *report,
			      const struct report_sample *sample, uint32_t depth)
{
	uint32_t reason = sample->stop != TM_STOP_NONE ? 1 : 0;

	if (depth < reason)
		return tree->functions.count + sample->stop - 1;
	return tree->functions.of_frame[stack_order_frame(report, &report->stacks[sample->stack],
							  depth - reason)];
}

/* Nodes of the path that the sample before (NULL: none) does not have. */
static int add_path(struct html_tree *tree, const struct report *report,
		    const struct report_sample *before, const struct report_sample *sample)
{
	uint32_t last = before ? path_length(report, before) : 0;
	uint32_t length = path_length(report, sample);
	uint32_t depth = 0;

	while (depth < last && depth < length &&
	       path_function(tree, report, before, depth) ==
		       path_function(tree, report, sample, depth))
		depth++;
	for (uint32_t up = last - depth; depth < length; depth++, up = 0) {
		int r = add_node(tree, up, path_function(tree, report, sample, depth));

		if (r < 0)
			return r;
	}
	return 0;
}

static int grow(struct html_tree *tree, const struct growth *growth, const uint32_t *order)
{
	const struct report *report = growth->report;

	for (uint32_t i = 0; i < report->sample_count; i++) {
		const struct report_sample *sample = &report->samples[order[i]];
		const struct report_sample *before = i > 0 ? &report->samples[order[i - 1]] : NULL;
		struct html_tree_sample *merged = &tree->samples[tree->sample_count];

		if (before && compare_samples(order[i - 1], order[i], growth) == 0) {
			merged[-1].count += sample->count;
			continue;
		}
		if (!before || compare_paths(order[i - 1], order[i], growth) != 0) {
			int r = add_path(tree, report, before, sample);

			if (r < 0)
				return r;
		}
		merged->node =
			path_length(report, sample) > 0 ? tree->node_count - 1 : HTML_TREE_NO_NODE;
		merged->thread = growth->threads[order[i]];
		merged->count = sample->count;
		tree->sample_count++;
	}
	return 0;
}

int html_tree_init(struct html_tree *tree, const struct report *report)
{
	_cleanup_(tm_freep) uint32_t *ranks = NULL;
	_cleanup_(tm_freep) uint32_t *threads = NULL;
	_cleanup_(tm_freep) uint32_t *order = NULL;
	struct growth growth = {.report = report};
	int r;

	*tree = (struct html_tree){0};
	r = functions_init(&tree->functions, report);
	if (r < 0)
		return r;
	growth.ranks = ranks = stack_order_new(report, tree->functions.of_frame);
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
	free(tree->up);
	free(tree->function);
	free(tree->threads);
	free(tree->samples);
	*tree = (struct html_tree){0};
}
