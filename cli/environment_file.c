/* SPDX-License-Identifier: Apache-2.0 */
/* environment_file - reads the assignments of a text in the syntax of systemd's EnvironmentFile= */

#include "cli/environment_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"

enum state {
	BEFORE_KEY,
	IN_KEY,
	BEFORE_VALUE, /* also between its parts in quotes */
	IN_VALUE,
	BEHIND_BACKSLASH,
	IN_SINGLE,
	IN_DOUBLE,
	IN_DOUBLE_BEHIND_BACKSLASH,
	IN_COMMENT,
	IN_COMMENT_BEHIND_BACKSLASH,
};

struct part { /* a key or a value */
	char *bytes;
	size_t count;
	size_t kept; /* of them, without the blanks at the end */
};

struct parser {
	const struct environment_file_reader *reader;
	enum state state;
	size_t line;
	size_t begun; /* the line in which the key or the comment begins */
	struct part key;
	struct part value;
};

static bool is_end(char c)
{
	return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || is_end(c);
}

/* @kept: c is kept even if it is a blank at the end. */
static void append(struct part *part, char c, bool kept)
{
	part->bytes[part->count++] = c;
	if (kept || !is_blank(c))
		part->kept = part->count;
}

static const char *end(struct part *part)
{
	part->bytes[part->kept] = '\0';
	part->count = part->kept = 0;
	return part->bytes;
}

static void finish(struct parser *parser)
{
	const char *key = end(&parser->key), *value = end(&parser->value);

	parser->reader->assign(parser->reader->context, parser->begun, key, value);
	parser->state = BEFORE_KEY;
}

static void note(struct parser *parser, enum environment_file_note what)
{
	const struct environment_file_reader *reader = parser->reader;

	parser->key.bytes[parser->key.kept] = '\0';
	reader->note(reader->context, parser->begun, parser->key.bytes, what);
}

static void take_key(struct parser *parser, char c)
{
	if (parser->state == BEFORE_KEY) {
		if (is_blank(c))
			return;
		parser->begun = parser->line;
		parser->state = c == '#' || c == ';' ? IN_COMMENT : IN_KEY;
		if (parser->state == IN_KEY)
			append(&parser->key, c, false);
	} else if (is_end(c)) {
		note(parser, ENVIRONMENT_FILE_NO_ASSIGNMENT);
		(void)end(&parser->key);
		parser->state = BEFORE_KEY;
	} else if (c == '=') {
		parser->state = BEFORE_VALUE;
	} else {
		append(&parser->key, c, false);
	}
}

static void take_value(struct parser *parser, char c)
{
	const bool before = parser->state == BEFORE_VALUE;

	if (is_end(c)) {
		finish(parser);
	} else if (c == '\\') {
		parser->value.kept = parser->value.count;
		parser->state = BEHIND_BACKSLASH;
	} else if (before && c == '\'') {
		parser->state = IN_SINGLE;
	} else if (before && c == '"') {
		parser->state = IN_DOUBLE;
	} else if (!before || !is_blank(c)) {
		append(&parser->value, c, false);
		parser->state = IN_VALUE;
	}
}

static void take_quoted(struct parser *parser, char c)
{
	const char quote = parser->state == IN_SINGLE ? '\'' : '"';

	if (c == quote)
		parser->state = BEFORE_VALUE;
	else if (c == '\\' && quote == '"')
		parser->state = IN_DOUBLE_BEHIND_BACKSLASH;
	else
		append(&parser->value, c, true);
}

static void take_escaped(struct parser *parser, char c)
{
	if (parser->state == BEHIND_BACKSLASH) {
		if (!is_end(c))
			append(&parser->value, c, true);
		parser->state = IN_VALUE;
		return;
	}
	if (!strchr("\"\\`$\n", c))
		append(&parser->value, '\\', true);
	if (c != '\n')
		append(&parser->value, c, true);
	parser->state = IN_DOUBLE;
}

static void take_comment(struct parser *parser, char c)
{
	if (parser->state == IN_COMMENT_BEHIND_BACKSLASH) {
		if (c == '\n')
			note(parser, ENVIRONMENT_FILE_COMMENT_GOES_ON);
		parser->state = IN_COMMENT;
	} else if (c == '\\') {
		parser->state = IN_COMMENT_BEHIND_BACKSLASH;
	} else if (is_end(c)) {
		parser->state = BEFORE_KEY;
	}
}

static void take(struct parser *parser, char c)
{
	switch (parser->state) {
	case BEFORE_KEY:
	case IN_KEY:
		take_key(parser, c);
		break;
	case BEFORE_VALUE:
	case IN_VALUE:
		take_value(parser, c);
		break;
	case IN_SINGLE:
	case IN_DOUBLE:
		take_quoted(parser, c);
		break;
	case BEHIND_BACKSLASH:
	case IN_DOUBLE_BEHIND_BACKSLASH:
		take_escaped(parser, c);
		break;
	case IN_COMMENT:
	case IN_COMMENT_BEHIND_BACKSLASH:
		take_comment(parser, c);
	}
	if (c == '\n')
		parser->line++;
}

/* A value goes on to the end of the text, whatever it is in; a key without = is none. */
static void take_end(struct parser *parser)
{
	switch (parser->state) {
	case IN_KEY:
		note(parser, ENVIRONMENT_FILE_NO_ASSIGNMENT);
		break;
	case IN_SINGLE:
	case IN_DOUBLE:
	case IN_DOUBLE_BEHIND_BACKSLASH:
		note(parser, ENVIRONMENT_FILE_OPEN_QUOTE);
		finish(parser);
		break;
	case BEFORE_VALUE:
	case IN_VALUE:
	case BEHIND_BACKSLASH:
		finish(parser);
		break;
	case BEFORE_KEY:
	case IN_COMMENT:
	case IN_COMMENT_BEHIND_BACKSLASH:
		break;
	}
}

int environment_file_read(const char *text, size_t bytes,
			  const struct environment_file_reader *reader)
{
	_cleanup_(tm_freep) char *key = malloc(bytes + 1);
	_cleanup_(tm_freep) char *value = malloc(bytes + 1);
	struct parser parser = {
		.reader = reader, .line = 1, .key.bytes = key, .value.bytes = value};

	if (!key || !value)
		return -ENOMEM;
	for (size_t i = 0; i < bytes; i++)
		take(&parser, text[i]);
	take_end(&parser);
	return 0;
}
