/* SPDX-License-Identifier: Apache-2.0 */
/* config_file - what a configuration file says: the value of each key, and what is wrong */

#include "cli/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/environment_file.h"
#include "cli/problem.h"
#include "shared/cleanup.h"
#include "shared/utf8.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

static void report(struct config_file *file, size_t line, const char *sentence)
{
	file->problems++;
	file->problem(file->context, line, sentence);
}

/* --- an assignment ---------------------------------------------------------------------------- */

static size_t count_replacements(const char *text)
{
	size_t count = 0;

	for (; (text = strstr(text, replacement)); text += sizeof(replacement) - 1)
		count++;
	return count;
}

/* Return: whether it is; -ENOMEM. */
static int is_utf8(const char *text)
{
	const size_t bytes = TM_UTF8_CLEAN_BYTES(strlen(text));
	_cleanup_(tm_freep) char *clean = malloc(bytes);

	if (!clean)
		return -ENOMEM;
	(void)tm_utf8_clean(text, strlen(text), clean, bytes);
	return count_replacements(clean) == count_replacements(text);
}

static void report_unknown(struct config_file *file, size_t line, const char *name)
{
	const struct config_key *nearest = config_keys_nearest(name);
	char sentence[PROBLEM_BYTES];

	if (nearest)
		(void)problem_write(sentence, "%s: no such key; the nearest one is %s", name,
				    nearest->name);
	else
		(void)problem_write(sentence, "%s: no such key (see tidemark config --help)", name);
	report(file, line, sentence);
}

static void set(struct config_file *file, int key, size_t line, const char *text)
{
	struct config_value *value = &file->values[key];
	char reason[PROBLEM_BYTES], sentence[PROBLEM_BYTES];

	if (config_keys_check(&config_keys[key], text, reason) != 0) {
		(void)problem_write(sentence, "%s: %s", config_keys[key].name, reason);
		report(file, line, sentence);
	}
	if (value->line) {
		(void)problem_write(sentence, "%s: is set in line %zu, too; this line counts",
				    config_keys[key].name, value->line);
		report(file, line, sentence);
	}
	free(value->text);
	*value = (struct config_value){.text = strdup(text), .line = line};
	if (!value->text)
		file->error = -ENOMEM;
}

static void take_assignment(void *context, size_t line, const char *name, const char *value)
{
	struct config_file *file = context;
	int key = config_keys_find(name), in_name = is_utf8(name), in_value = is_utf8(value);

	if (in_name < 0 || in_value < 0) {
		file->error = -ENOMEM;
	} else if (!in_name || !in_value) {
		report(file, line,
		       "not valid UTF-8: systemd ignores the whole file, and the defaults hold");
		file->refused = true;
	} else if (key < 0) {
		report_unknown(file, line, name);
	} else {
		set(file, key, line, value);
	}
}

static void take_note(void *context, size_t line, const char *key, enum environment_file_note note)
{
	char sentence[PROBLEM_BYTES] = "";

	switch (note) {
	case ENVIRONMENT_FILE_NO_ASSIGNMENT:
		(void)problem_write(sentence, "%.64s: no assignment, KEY=VALUE; it is ignored",
				    key);
		break;
	case ENVIRONMENT_FILE_OPEN_QUOTE:
		(void)problem_write(sentence,
				    "%s: the quote does not end: all that follows is "
				    "part of the value",
				    key);
		break;
	case ENVIRONMENT_FILE_COMMENT_GOES_ON:
		(void)problem_write(sentence, "a comment ends in a backslash: before systemd 254 "
					      "the next line is part of it, later it is not");
	}
	report(context, line, sentence);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void forget_values(struct config_file *file)
{
	for (int i = 0; i < CONFIG_KEYS_N; i++) {
		free(file->values[i].text);
		file->values[i] = (struct config_value){.text = NULL};
	}
}

/* The two keys are of two programs: one that records, one that reports. */
static void check_off_cpu(struct config_file *file)
{
	const int rate = config_keys_find("TIDEMARK_OFF_CPU_RATE");
	const int shown = config_keys_find("TIDEMARK_OFF_CPU");
	const bool recorded = strcmp(config_file_value(file, rate), "0") != 0;
	const size_t line = file->values[recorded ? rate : shown].line;

	if (recorded == config_keys_is_on(config_file_value(file, shown)))
		return;
	report(file, line,
	       recorded ? "TIDEMARK_OFF_CPU_RATE: has no use without TIDEMARK_OFF_CPU=yes"
			: "TIDEMARK_OFF_CPU: nothing is recorded for it while "
			  "TIDEMARK_OFF_CPU_RATE is 0");
}

int config_file_read(struct config_file *file, const char *text, size_t bytes)
{
	const struct environment_file_reader reader = {
		.assign = take_assignment, .note = take_note, .context = file};
	int r = 0;

	if (memchr(text, '\0', bytes)) {
		report(file, 0,
		       "a NUL byte: systemd ignores the whole file, and the defaults "
		       "hold");
		file->refused = true;
	} else {
		r = environment_file_read(text, bytes, &reader);
	}
	if (r == 0)
		r = file->error;
	if (file->refused)
		forget_values(file);
	else if (r == 0)
		check_off_cpu(file);
	return r;
}

int config_file_open(struct config_file *file, const char *path)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	_cleanup_(tm_freep) char *text = malloc(CONFIG_FILE_BYTES_MAX + 1);
	size_t bytes = 0;
	ssize_t count;

	if (fd < 0 || !text)
		return fd < 0 ? -errno : -ENOMEM;
	while ((count = read(fd, text + bytes, CONFIG_FILE_BYTES_MAX + 1 - bytes)) > 0)
		bytes += (size_t)count;
	if (count < 0)
		return -errno;
	return bytes > CONFIG_FILE_BYTES_MAX ? -EFBIG : config_file_read(file, text, bytes);
}

const char *config_file_value(const struct config_file *file, int key)
{
	const char *text = file->values[key].text;

	return text ? text : config_keys[key].fallback;
}

void config_file_free(struct config_file *file)
{
	forget_values(file);
}
