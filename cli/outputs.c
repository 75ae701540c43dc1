/* SPDX-License-Identifier: Apache-2.0 */
/* outputs - all files of one report: the outputs that the symbolizer writes, and the summary */

#include "cli/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/starter_client.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

static int cannot(const char *path, int error)
{
	if (error == -ENXIO)
		terminal_print("%s: cannot be written: nobody reads this pipe", path);
	else if (error == -EMEDIUMTYPE)
		terminal_print("%s: cannot be written: with --every it must be a regular file",
			       path);
	else
		terminal_print("%s: cannot be written: %s", path, strerror(-error));
	return EXIT_CODE_FAILED;
}

/* Two outputs of one name would leave only the later one. */
static int check_twice(const struct outputs *outputs, const struct output *output)
{
	size_t i;

	for (i = 0; i < outputs->count; i++) {
		if (&outputs->items[i] == output || !output_is_same(&outputs->items[i], output))
			continue;
		terminal_print("%s and %s are the same file (see tidemark record --help)",
			       outputs->items[i].path, output->path);
		return EXIT_CODE_USAGE;
	}
	return 0;
}

/* The name of output @index in report @number, kept in @outputs; the last is the summary's. */
static const char *name_of(struct outputs *outputs, size_t index, unsigned number)
{
	const struct options *options = outputs->options;
	const char *path =
		index == options->output_count ? options->summary : options->outputs[index].path;

	if (number == 0)
		return path;
	free(outputs->names[index]);
	outputs->names[index] = format_numbered(path, number);
	return outputs->names[index] ? outputs->names[index] : path;
}

/* @before: the same output of the report before; NULL: there is none. */
static int open_output(struct outputs *outputs, size_t index, unsigned number,
		       const struct output *before, struct output *output)
{
	const char *path = name_of(outputs, index, number);
	int r = output_open(output, path, before ? before->folder : -1,
			    outputs->options->output_mode);

	if (r == 0 && number > 0 && output->kind == OUTPUT_STRAIGHT)
		r = -EMEDIUMTYPE;
	return r < 0 ? cannot(path, r) : check_twice(outputs, output);
}

/* The symbolizer needs a descriptor under this number even if nothing is to be written; and the
 * next report its @folder, which must not be looked for again. */
static void open_null(struct output *output, int folder)
{
	output_discard(output);
	output->kind = OUTPUT_STRAIGHT;
	output->fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	output->folder = folder < 0 ? -1 : fcntl(folder, F_DUPFD_CLOEXEC, 0);
}

static int take(struct outputs *outputs, size_t index, unsigned number, int fd,
		struct output *ret_output)
{
	*ret_output = OUTPUT_NULL;
	ret_output->path = name_of(outputs, index, number);
	ret_output->fd = fd;
	return fd < 0;
}

/* By the starter, which prints what does not open. Return: 0, or an exit code. */
static int ask(struct outputs *outputs, unsigned number, bool must)
{
	const struct options *options = outputs->options;
	const size_t count = options->output_count + (options->summary != NULL);
	int fds[OPTIONS_OUTPUTS_MAX + 1];
	int r = starter_client_open(outputs->starter, number, must, fds, count);

	outputs->count = options->output_count;
	for (size_t i = 0; i < outputs->count; i++)
		outputs->refused[i] = take(outputs, i, number, fds[i], &outputs->items[i]);
	outputs->has_summary = options->summary != NULL;
	if (outputs->has_summary)
		outputs->summary_refused = take(outputs, outputs->count, number,
						fds[outputs->count], &outputs->summary);
	return r;
}

int outputs_open(struct outputs *ret_outputs, struct starter_client *starter,
		 const struct options *options, unsigned number)
{
	struct outputs *outputs = ret_outputs;
	size_t i;
	int r = 0;

	*outputs = (struct outputs){.options = options, .starter = starter, .summary = OUTPUT_NULL};
	if (starter)
		return ask(outputs, number, true);
	for (i = 0; i < options->output_count && r == 0; i++) {
		outputs->items[i] = OUTPUT_NULL;
		outputs->count = i + 1;
		r = open_output(outputs, i, number, NULL, &outputs->items[i]);
	}
	if (r == 0 && options->summary) {
		outputs->has_summary = true;
		r = open_output(outputs, i, number, NULL, &outputs->summary);
	}
	return r;
}

void outputs_open_more(struct outputs *ret_outputs, const struct outputs *before, unsigned number)
{
	const struct options *options = before->options;
	struct outputs *outputs = ret_outputs;
	size_t i;

	*outputs = (struct outputs){
		.options = options, .starter = before->starter, .summary = OUTPUT_NULL};
	if (outputs->starter) {
		(void)ask(outputs, number, false);
		return;
	}
	for (i = 0; i < options->output_count; i++) {
		outputs->items[i] = OUTPUT_NULL;
		outputs->count = i + 1;
		outputs->refused[i] =
			open_output(outputs, i, number, &before->items[i], &outputs->items[i]) != 0;
		if (outputs->refused[i])
			open_null(&outputs->items[i], before->items[i].folder);
	}
	if (!options->summary)
		return;
	outputs->has_summary = true;
	outputs->summary_refused =
		open_output(outputs, i, number, &before->summary, &outputs->summary) != 0;
	if (outputs->summary_refused)
		open_null(&outputs->summary, before->summary.folder);
}

static void renumber(struct outputs *outputs, size_t index, unsigned number, struct output *output)
{
	const char *path = name_of(outputs, index, number);

	if (!outputs->starter && output_rename(output, path) < 0)
		(void)cannot(path, -ENAMETOOLONG);
	output->path = path;
}

void outputs_renumber(struct outputs *outputs, unsigned number)
{
	size_t i;

	if (outputs->starter)
		starter_client_renumber(outputs->starter, number);
	for (i = 0; i < outputs->count; i++)
		renumber(outputs, i, number, &outputs->items[i]);
	if (outputs->has_summary)
		renumber(outputs, i, number, &outputs->summary);
}

int outputs_commit(struct outputs *outputs, size_t index)
{
	struct output *output = index < outputs->count ? &outputs->items[index] : &outputs->summary;
	int r;

	if (outputs->starter)
		return starter_client_commit(outputs->starter, index);
	if (index > outputs->count || (index == outputs->count && !outputs->has_summary))
		return -EINVAL;
	r = output_commit(output);
	if (r < 0)
		(void)cannot(output->path, r);
	return r;
}

static size_t store_outputs(struct outputs *outputs, const struct outputs_results *results)
{
	size_t i, count = 0;

	for (i = 0; results->reported && i < outputs->count; i++) {
		int r = results->has[i] ? results->codes[i] : -EIO;

		if (outputs->refused[i])
			continue;
		if (r < 0)
			(void)cannot(outputs->items[i].path, r);
		else
			outputs->stored[i] = outputs_commit(outputs, i) == 0;
		count += outputs->stored[i];
	}
	return count;
}

static int write_all(int fd, const char *text, size_t bytes)
{
	while (bytes > 0) {
		ssize_t put = write(fd, text, bytes);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			text += put;
			bytes -= (size_t)put;
		}
	}
	return 0;
}

static int store_summary(struct outputs *outputs, const struct summary *summary)
{
	_cleanup_(tm_freep) char *text = NULL;
	size_t bytes = 0;
	int r = summary_text(summary, &text, &bytes);

	if (r == 0)
		r = write_all(outputs->summary.fd, text, bytes);
	if (r < 0)
		return cannot(outputs->summary.path, r);
	r = outputs_commit(outputs, outputs->count);
	outputs->summary_stored = r == 0;
	return r < 0 ? EXIT_CODE_FAILED : 0;
}

int outputs_store(struct outputs *outputs, const struct outputs_results *results,
		  const struct summary *summary)
{
	size_t stored = store_outputs(outputs, results);
	bool all = stored == outputs->count && !outputs->summary_refused;

	if (outputs->has_summary && !outputs->summary_refused)
		all &= store_summary(outputs, summary) == 0;
	if (stored == 0 && outputs->count > 0)
		return EXIT_CODE_FAILED;
	return all ? 0 : EXIT_CODE_SOME;
}

void outputs_leave(struct outputs *outputs)
{
	struct starter_client *starter = outputs->starter;

	outputs_close(outputs);
	if (starter)
		starter_client_next(starter);
}

void outputs_close(struct outputs *outputs)
{
	size_t i;

	for (i = 0; i < outputs->count; i++)
		output_discard(&outputs->items[i]);
	outputs->count = 0;
	if (outputs->has_summary)
		output_discard(&outputs->summary);
	outputs->has_summary = false;
	for (i = 0; i <= OPTIONS_OUTPUTS_MAX; i++) {
		free(outputs->names[i]);
		outputs->names[i] = NULL;
	}
}
