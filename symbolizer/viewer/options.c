/* SPDX-License-Identifier: Apache-2.0 */
/* options - the arguments that the command passes: inputs, outputs, windows, who is shown */

#include "symbolizer/viewer/options.h"

#include <errno.h>
#include <string.h>

#include "shared/option.h"
#include "shared/parse.h"

#define BASE           "--base-"
#define MEMORY_MIN     (16ull << 20)
#define MEMORY_MAX     (3ull << 30)
#define MEMORY_DEFAULT (1ull << 30)

static const char *const formats[OUTPUTS_FORMAT_N] = {
	[OUTPUTS_HTML] = "html",     [OUTPUTS_PPROF] = "pprof",
	[OUTPUTS_FOLDED] = "folded", [OUTPUTS_SPEEDSCOPE] = "speedscope",
	[OUTPUTS_OTLP] = "otlp",     [OUTPUTS_TABLE] = "table",
};

/* Cuts @text at its last colon. Return: what is behind it; NULL: there is none. */
static char *cut(char *text)
{
	char *colon = strrchr(text, ':');

	if (!colon)
		return NULL;
	*colon = '\0';
	return colon + 1;
}

static int parse_output(struct options *options, char *text)
{
	char *fd = cut(text);

	if (!fd || options->output_count == OPTIONS_OUTPUTS_MAX)
		return -EINVAL;
	for (unsigned i = 0; i < OUTPUTS_FORMAT_N; i++) {
		if (strcmp(formats[i], text) != 0)
			continue;
		options->outputs[options->output_count].format = (enum outputs_format)i;
		return tm_option_fd(fd, &options->outputs[options->output_count++].fd);
	}
	return -EINVAL;
}

static int parse_input(struct options *options, char *text, uint8_t side, bool is_segment)
{
	char *fd = cut(text);
	struct options_input *input;

	if (!fd || options->input_count == OPTIONS_INPUTS_MAX)
		return -EINVAL;
	input = &options->inputs[options->input_count++];
	*input = (struct options_input){.name = text, .side = side, .is_segment = is_segment};
	return tm_option_fd(fd, &input->fd);
}

static int parse_window(char *text, struct selection_window *window)
{
	char *to = cut(text);

	if (!to || tm_parse_number(text, 0, UINT64_MAX, &window->from_unix_ns) ||
	    tm_parse_number(to, 0, UINT64_MAX, &window->to_unix_ns))
		return -EINVAL;
	return window->from_unix_ns < window->to_unix_ns ? 0 : -EINVAL;
}

static int add_text(struct selection_texts *texts, const char *text)
{
	if (texts->count == SELECTION_VALUES_MAX || !*text)
		return -EINVAL;
	texts->items[texts->count++] = text;
	return 0;
}

static int add_pid(struct selection *selection, const char *text)
{
	uint64_t pid;

	if (selection->pid_count == SELECTION_VALUES_MAX ||
	    tm_parse_number(text, 1, UINT32_MAX, &pid))
		return -EINVAL;
	selection->pids[selection->pid_count++] = (uint32_t)pid;
	return 0;
}

/* @text: of either side, with one dash. */
static int parse_of_side(struct options *options, char *text, uint8_t side)
{
	char *value;

	if ((value = tm_option_value(text, "-segment")))
		return parse_input(options, value, side, /* is_segment= */ true);
	if ((value = tm_option_value(text, "-otlp")))
		return parse_input(options, value, side, /* is_segment= */ false);
	if ((value = tm_option_value(text, "-window")))
		return parse_window(value, &options->windows[side]);
	return -EINVAL;
}

static int parse_argument(struct options *options, char *text)
{
	struct selection *selection = &options->selection;
	char *value;

	if ((value = tm_option_value(text, "--control-fd")))
		return tm_option_fd(value, &options->control_fd);
	if ((value = tm_option_value(text, "--output")))
		return parse_output(options, value);
	if ((value = tm_option_value(text, "--memory-bytes")))
		return tm_parse_number(value, MEMORY_MIN, MEMORY_MAX, &options->memory_bytes);
	if ((value = tm_option_value(text, "--comm")))
		return add_text(&selection->comms, value);
	if ((value = tm_option_value(text, "--container")))
		return add_text(&selection->containers, value);
	if ((value = tm_option_value(text, "--unit")))
		return add_text(&selection->units, value);
	if ((value = tm_option_value(text, "--pid")))
		return add_pid(selection, value);
	if ((value = tm_option_value(text, "--title"))) {
		options->title = value;
		return 0;
	}
	if (strncmp(text, BASE, sizeof(BASE) - 1) == 0) {
		options->compare = true;
		return parse_of_side(options, text + sizeof(BASE) - 2, 1);
	}
	return text[0] == '-' ? parse_of_side(options, text + 1, 0) : -EINVAL;
}

int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad)
{
	*options = (struct options){
		.control_fd = -1,
		.title = "",
		.memory_bytes = MEMORY_DEFAULT,
		.windows = {SELECTION_ALWAYS, SELECTION_ALWAYS},
	};
	for (int i = 1; i < argc; i++)
		if (parse_argument(options, argv[i])) {
			*ret_bad = argv[i];
			return -EINVAL;
		}
	*ret_bad = "--control-fd is required";
	return options->control_fd < 0 ? -EINVAL : 0;
}
