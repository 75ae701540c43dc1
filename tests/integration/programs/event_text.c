/* SPDX-License-Identifier: Apache-2.0 */
/* event_text - writes a record of the shared ring as one line of text */

#include "tests/integration/programs/event_text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "shared/reasons.h"

static void write_bytes(FILE *out, const char *bytes, size_t count)
{
	(void)fputs(" =", out);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "%02x", (unsigned char)bytes[i]);
}

static void write_head(FILE *out, char kind, const struct tm_event *event)
{
	(void)fprintf(out, "%c %" PRIu64 " %u %" PRIu64 " %u %u %u", kind, event->ktime,
		      event->tgid, event->start_boottime, event->exec_id, event->tid, event->flags);
}

static void write_sample(FILE *out, const struct tm_sample *sample)
{
	static const char kinds[] = {
		[TM_SAMPLE_ON_CPU] = 'S', [TM_SAMPLE_OFF_CPU] = 'O', [TM_SAMPLE_WAKER] = 'W'};
	const uint64_t *user = sample->frames + sample->kernel_frames;

	write_head(out, kinds[sample->kind], &sample->event);
	(void)fprintf(out, " %u %u %s", sample->event.cpu, sample->kernel_frames,
		      tm_reasons_stop(sample->user_stop));
	write_bytes(out, sample->comm, strnlen(sample->comm, TM_COMM_BYTES));
	for (unsigned i = 0; i < sample->user_frames; i++)
		(void)fprintf(out, "%c%" PRIx64, i ? ',' : ' ', user[i]);
	if (sample->kind == TM_SAMPLE_OFF_CPU)
		(void)fprintf(out, "%s %s %" PRIu64 " %" PRIu64 " %" PRIu64,
			      sample->user_frames ? "" : " -", tm_reasons_thread(sample->state),
			      sample->since, sample->duration, sample->value);
}

static void write_process(FILE *out, const struct tm_process *process)
{
	write_head(out, 'P', &process->event);
	(void)fprintf(out, " %u %u %u %u %u %u", process->exe_file, process->ns_level,
		      process->ns_tgid, process->mnt_ns, process->own_tgid, process->jitdump_file);
	write_bytes(out, process->comm, strnlen(process->comm, TM_COMM_BYTES));
	write_bytes(out, process->text, process->path_bytes);
	write_bytes(out, process->text + process->path_bytes, process->cgroup_bytes);
}

static void write_file(FILE *out, const struct tm_file *file)
{
	const struct tm_identity *identity = &file->identity;

	write_head(out, 'F', &file->event);
	(void)fprintf(
		out, " %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %u %u %" PRIu64 " %u",
		file->number, identity->dev, identity->ino, identity->size, identity->mtime_sec,
		identity->mtime_nsec, identity->generation, identity->ctime_ns, file->mnt_ns);
	write_bytes(out, file->text, file->path_bytes);
}

static void write_context(FILE *out, const struct tm_context *context)
{
	write_head(out, 'C', &context->event);
	(void)fprintf(out, " %" PRIu64, context->published);
	write_bytes(out, (const char *)context->text, context->text_bytes);
}

static void write_thread(FILE *out, const struct tm_thread *thread)
{
	write_head(out, 'T', &thread->event);
	(void)fprintf(out, " %" PRIu64, thread->seen);
	write_bytes(out, thread->comm, strnlen(thread->comm, TM_COMM_BYTES));
	for (unsigned i = 0; i < TM_THREAD_STATES_N; i++)
		(void)fprintf(out, "%c%" PRIu64, i ? ',' : ' ', thread->ns[i]);
}

static void write_method(FILE *out, const struct tm_method *method)
{
	const char *name = method->text + method->class_bytes;
	const char *signature = name + method->name_bytes;
	const char *file = signature + method->signature_bytes;

	write_head(out, 'M', &method->event);
	(void)fprintf(out, " %" PRIu64 " %u %u %u %u %u", method->number, method->flags,
		      method->first_line, method->name_width, method->file_width,
		      method->lines_bytes);
	write_bytes(out, name, method->name_bytes);
	write_bytes(out, file, method->file_bytes);
	write_bytes(out, method->text, method->class_bytes);
	write_bytes(out, signature, method->signature_bytes);
}

int event_text_write(const struct tm_event *event, FILE *out)
{
	const void *record = event;

	switch (event->type) {
	case TM_EVENT_SAMPLE:
		write_sample(out, record);
		break;
	case TM_EVENT_PROCESS:
		write_process(out, record);
		break;
	case TM_EVENT_FILE:
		write_file(out, record);
		break;
	case TM_EVENT_EXIT:
		write_head(out, 'X', event);
		break;
	case TM_EVENT_RETIRE:
		write_head(out, 'R', event);
		(void)fprintf(out, " %u", ((const struct tm_retire *)record)->number);
		break;
	case TM_EVENT_CONTEXT:
		write_context(out, record);
		break;
	case TM_EVENT_THREAD:
		write_thread(out, record);
		break;
	case TM_EVENT_METHOD:
		write_method(out, record);
		break;
	}
	return fputc('\n', out) == '\n' ? 0 : -EIO;
}
