/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_method - what a report shows of a language runtime's function
 */

#include "symbolizer/output/report_method.h"

#include <string.h>

#include "shared/runtime.h"
#include "symbolizer/names/java_lines.h"
#include "symbolizer/names/python_lines.h"

#define PYTHON_NO_NAME "[python]"
#define JAVA_NO_NAME   "[java]"

static uint32_t line_of(const struct method *method, uint32_t place)
{
	const struct method_content *content = &method->content;
	const uint8_t *lines = (const uint8_t *)method->texts + content->lines;
	const uint32_t bytes = content->bytes - content->lines;

	if (place == TM_FRAME_PLACE_MAX)
		return 0;
	if (content->runtime == TM_RUNTIME_JAVA)
		return java_lines_find(lines, bytes, content->version, place);
	return python_lines_find(lines, bytes, content->version,
				 content->flags & TM_METHOD_LINES_CUT, content->first_line, place);
}

/* Nothing in a HotSpot says where a method begins: at the line of its first place. */
static uint32_t start_line_of(const struct method *method)
{
	return method->content.runtime == TM_RUNTIME_JAVA ? line_of(method, 0)
							  : method->content.first_line;
}

/* java/lang/String.charAt(I)C is shown as java.lang.String.charAt. */
static int add_java(struct strings *strings, const struct method *method, struct report_call *call)
{
	char name[METHOD_CONTENT_NAME_BYTES];
	const uint32_t length = method->content.signature;

	memcpy(name, method->texts, length);
	for (uint32_t i = 0; i < length; i++)
		if (name[i] == '/')
			name[i] = '.';
	return strings_add(strings, name, length, &call->name) ||
	       strings_add(strings, method->texts, STRINGS_MAX_BYTES, &call->system_name);
}

enum tm_runtime_kind report_method_runtime(const struct method *method, uint64_t encoded)
{
	if (method && method->content.runtime < TM_RUNTIME_N)
		return method->content.runtime;
	return encoded >> TM_FRAME_METHOD_SHIFT & TM_RUNTIME_NUMBER_JAVA ? TM_RUNTIME_JAVA
									 : TM_RUNTIME_PYTHON;
}

/* What is of no symbol table has no system name. */
static int add_name(struct strings *strings, const struct method *method, uint64_t encoded,
		    struct report_call *call)
{
	const bool java = report_method_runtime(method, encoded) == TM_RUNTIME_JAVA;
	const char *name = java ? JAVA_NO_NAME : PYTHON_NO_NAME;

	if (method && method->texts[0]) {
		if (java && !(method->content.flags & TM_METHOD_STUB))
			return add_java(strings, method, call);
		name = method->texts;
	}
	return strings_add(strings, name, STRINGS_MAX_BYTES, &call->name);
}

int report_method_call(struct strings *strings, const struct method *method, uint64_t encoded,
		       struct report_call *ret_call, bool *ret_unnamed)
{
	*ret_call = (struct report_call){0};
	*ret_unnamed = !method || !method->texts[0];
	if (method) {
		ret_call->line = line_of(method, encoded & TM_FRAME_PLACE_MAX);
		ret_call->start_line = start_line_of(method);
		if (strings_add(strings, method->texts + method->content.file, STRINGS_MAX_BYTES,
				&ret_call->path))
			return BUDGET_E_SPENT;
	}
	return add_name(strings, method, encoded, ret_call);
}
