/* SPDX-License-Identifier: Apache-2.0 */
/* debug_paths - asks for files that name functions: separate debug files, and perf maps */

#include "collector/debug_paths.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shared/path.h"

#define DWZ_FOLDER "x86_64-linux-gnu/" /* where Debian puts it below .dwz */

/* One more path behind those of the request; one that does not fit is left out. */
static void __attribute__((format(printf, 2, 3)))
add(struct opener_request *request, const char *format, ...)
{
	size_t space = sizeof(request->path) - request->path_bytes;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(request->path + request->path_bytes, space, format, arguments);
	va_end(arguments);
	if (length > 0 && (size_t)length < space)
		request->path_bytes += (uint32_t)length + 1;
}

static void add_build_id(struct opener_request *request, const char *root,
			 const struct tm_wire *message)
{
	char digits[2 * TM_BUILD_ID_MAX + 1];

	for (unsigned i = 0; i < message->text_bytes; i++)
		(void)snprintf(digits + 2 * i, 3, "%02x", message->text[i]);
	add(request, "%s/.build-id/%.2s/%s.debug", root, digits, digits + 2);
}

/* In the folder of the file, in its .debug, and below each root and the folder. */
static void add_link(struct opener_request *request, const struct options *options,
		     const struct tm_file *file, const char *name)
{
	char path[OPENER_PATH_BYTES];
	const char *end;
	int bytes;

	if (!file_records_path(file, path))
		return;
	end = strrchr(path, '/');
	bytes = end ? (int)(end - path) + 1 : 0;
	add(request, "%.*s%s", bytes, path, name);
	add(request, "%.*s.debug/%s", bytes, path, name);
	for (unsigned i = 0; i < options->debug_root_count; i++)
		add(request, "%s/%.*s%s", options->debug_roots[i], bytes, path, name);
}

static void add_alt(struct opener_request *request, const char *root, const char *name)
{
	add(request, "%s/.dwz/%s", root, name);
	add(request, "%s/.dwz/" DWZ_FOLDER "%s", root, name);
}

/* Copies a name out of @message; a build id stays there. Return: whether the message is valid. */
static bool take_name(const struct tm_wire *message, char name[TM_WIRE_TEXT_MAX])
{
	uint16_t bytes = message->text_bytes;

	if (message->form == TM_DEBUG_BUILD_ID)
		return bytes >= TM_BUILD_ID_MIN && bytes <= TM_BUILD_ID_MAX;
	if ((message->form != TM_DEBUG_LINK && message->form != TM_DEBUG_ALT) || !bytes ||
	    bytes >= TM_WIRE_TEXT_MAX)
		return false;
	memcpy(name, message->text, bytes);
	name[bytes] = '\0';
	return strlen(name) == bytes && tm_path_is_plain(name, bytes + 1u);
}

int debug_paths_ask(struct file_requests *files, const struct options *options,
		    const struct tm_wire *message)
{
	struct opener_request request = {.kind = OPENER_PATHS};
	struct tm_wire answer = {.kind = TM_WIRE_OPENED,
				 .number = message->number,
				 .value = message->value,
				 .request = message->request};
	const struct file_record *record;
	char name[TM_WIRE_TEXT_MAX];

	if (!options->debug_root_count || !take_name(message, name))
		return -EBADMSG;
	record = file_records_find(&files->records, message->number, message->value);
	if (record) {
		request.own_tid = record->file->own_tid;
		request.mnt_ns = record->file->mnt_ns;
		request.owner = record->owner;
	}
	if (record && message->form == TM_DEBUG_LINK)
		add_link(&request, options, record->file, name);
	for (unsigned i = 0; record && i < options->debug_root_count; i++)
		if (message->form == TM_DEBUG_BUILD_ID)
			add_build_id(&request, options->debug_roots[i], message);
		else if (message->form == TM_DEBUG_ALT)
			add_alt(&request, options->debug_roots[i], name);
	return file_requests_open_path(files, &answer, &request) ? 0 : -EBADMSG;
}

void debug_paths_ask_perf_map(struct file_requests *files, const struct tm_process *process)
{
	const struct tm_wire answer = {.kind = TM_WIRE_PERF_MAP,
				       .number = process->event.tgid,
				       .value = process->event.ktime};
	struct opener_request request = {
		.kind = OPENER_PERF_MAP, .own_tid = process->own_tgid, .mnt_ns = process->mnt_ns};

	add(&request, "tmp/perf-%u.map", process->ns_tgid);
	if (process->event.flags & TM_FLAG_ANONYMOUS)
		(void)file_requests_open_path(files, &answer, &request);
}
