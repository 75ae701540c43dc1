/* SPDX-License-Identifier: Apache-2.0 */
/* sources - reads the reports of the files that the command opened: segments and OTLP requests */

#include "symbolizer/viewer/sources.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/control.h"

void sources_init(struct sources *sources, struct otlp_reader *reader, int control)
{
	*sources = (struct sources){
		.reader = reader,
		.control = control,
		.packed.budget = reader->merge->budget,
		.plain.budget = reader->merge->budget,
	};
}

void sources_deinit(struct sources *sources)
{
	bytes_deinit(&sources->packed);
	bytes_deinit(&sources->plain);
}

/* --- what cannot be read ---------------------------------------------------------------------- */

static void name_damage(struct sources *sources, const char *name, const char *why)
{
	sources->damaged++;
	(void)tm_control_note(sources->control, "%s: %s", name, why);
}

static void name_part(struct sources *sources, const char *name, uint64_t at, uint64_t bytes,
		      const char *why)
{
	sources->damaged++;
	(void)tm_control_note(sources->control, "%s, %" PRIu64 " bytes at %" PRIu64 ": %s", name,
			      bytes, at, why);
}

/* The others between @from and @to are of other shares, in other files. */
static void name_reports(struct sources *sources, const char *name, uint64_t from, uint64_t to)
{
	if (from == to)
		(void)tm_control_note(sources->control, "%s: report %" PRIu64 " is missing", name,
				      from);
	else
		(void)tm_control_note(sources->control,
				      "%s: of the reports %" PRIu64 " to %" PRIu64
				      " those of this file are missing",
				      name, from, to);
}

/* @r: of the request's reading. Return: 0: it is read, or named; SOURCES_E_MEMORY. */
static int judge(struct sources *sources, const char *name, uint64_t report, int r)
{
	if (r == OTLP_BODY_E_MEMORY)
		return SOURCES_E_MEMORY;
	if (r == 0)
		return 0;
	sources->damaged++;
	if (report)
		(void)tm_control_note(sources->control,
				      "%s: report %" PRIu64 " is no valid request of OTLP", name,
				      report);
	else
		(void)tm_control_note(sources->control, "%s: no valid request of OTLP", name);
	return 0;
}

static const char *inflate_text(int r)
{
	return r == INFLATE_E_TOO_LARGE ? "more bytes than a request may have"
					: "the gzip stream is damaged or cut off";
}

/* --- one request in a file -------------------------------------------------------------------- */

static int read_all(int fd, uint8_t *bytes, uint32_t count, uint32_t *ret_count)
{
	*ret_count = 0;
	while (*ret_count < count) {
		ssize_t got = pread(fd, bytes + *ret_count, count - *ret_count, *ret_count);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		*ret_count += (uint32_t)got;
	}
	return 0;
}

static bool is_gzip(const struct bytes *bytes)
{
	return bytes->count >= 2 && bytes->items[0] == 0x1f && bytes->items[1] == 0x8b;
}

static int read_request(struct sources *sources, const char *name)
{
	const struct bytes *from = &sources->packed;
	int r;

	if (is_gzip(from)) {
		r = inflate_gzip(from->items, from->count, SOURCES_OTLP_MAX, &sources->plain);
		if (r == INFLATE_E_MEMORY)
			return SOURCES_E_MEMORY;
		if (r) {
			name_damage(sources, name, inflate_text(r));
			return 0;
		}
		from = &sources->plain;
	}
	r = otlp_reader_read(sources->reader, from->items, from->count);
	return judge(sources, name, 0, r);
}

static int read_otlp(struct sources *sources, const struct options_input *input)
{
	struct stat status;
	int r;

	if (fstat(input->fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		name_damage(sources, input->name, "not a regular file");
		return 0;
	}
	if (status.st_size > SOURCES_OTLP_MAX) {
		name_damage(sources, input->name, "longer than a request may be");
		return 0;
	}
	if (bytes_reserve(&sources->packed, (uint64_t)status.st_size + 1))
		return SOURCES_E_MEMORY;
	r = read_all(input->fd, sources->packed.items, (uint32_t)status.st_size,
		     &sources->packed.count);
	if (r < 0) {
		name_damage(sources, input->name, strerror(-r));
		return 0;
	}
	return read_request(sources, input->name);
}

/* --- segments --------------------------------------------------------------------------------- */

/* The record's own offset: a clock that was corrected later moves no report. */
static uint64_t unix_ns(uint64_t ktime, int64_t realtime_offset)
{
	uint64_t sum;

	return __builtin_add_overflow(ktime, realtime_offset, &sum) ? 0 : sum;
}

static void widen(struct selection_window *available, uint64_t start, uint64_t end)
{
	if (available->to_unix_ns == 0 || start < available->from_unix_ns)
		available->from_unix_ns = start;
	if (end > available->to_unix_ns)
		available->to_unix_ns = end;
}

static int unpack(struct sources *sources, const struct tm_segment_record *record,
		  const struct bytes **ret_request)
{
	*ret_request = &sources->packed;
	if (!(record->flags & TM_SEGMENT_GZIP))
		return 0;
	*ret_request = &sources->plain;
	return inflate_gzip(sources->packed.items, sources->packed.count,
			    TM_SEGMENT_UNCOMPRESSED_MAX, &sources->plain);
}

static int read_report(struct sources *sources, const char *name, struct tm_segment_reader *segment,
		       const struct tm_segment_record *record)
{
	const struct bytes *request;
	int r;

	if (bytes_reserve(&sources->packed, record->body_bytes + 1))
		return SOURCES_E_MEMORY;
	sources->packed.count = (uint32_t)record->body_bytes;
	r = tm_segment_reader_body(segment, record, sources->packed.items);
	if (r < 0) {
		name_damage(sources, name, strerror(-r));
		return 0;
	}
	if (r == TM_SEGMENT_E_FAULT) {
		name_part(sources, name, segment->fault_at, segment->fault_bytes,
			  tm_segment_fault_text(segment->fault));
		name_reports(sources, name, record->sequence, record->sequence);
		return 0;
	}
	r = unpack(sources, record, &request);
	if (r == INFLATE_E_MEMORY)
		return SOURCES_E_MEMORY;
	if (r) {
		name_part(sources, name, record->offset, record->body_bytes, inflate_text(r));
		return 0;
	}
	return judge(sources, name, record->sequence,
		     otlp_reader_read(sources->reader, request->items, request->count));
}

/* Of a record that may be of the window. */
static int visit(struct sources *sources, const struct options_input *input,
		 struct tm_segment_reader *segment, const struct tm_segment_record *record)
{
	uint64_t start = unix_ns(record->start_ktime, record->realtime_offset);
	uint64_t end = unix_ns(record->end_ktime, record->realtime_offset);

	if (record->kind != TM_SEGMENT_REPORT)
		return 0;
	widen(&sources->available[input->side], start, end);
	if (!selection_has_time(&sources->window, start, end > start ? end - start : 0))
		return 0;
	return read_report(sources, input->name, segment, record);
}

struct gap {           /* in a segment */
	uint64_t next; /* sequence behind the last report; 0: none was read */
	bool damaged;  /* something behind that could not be read */
};

/* Notes which reports may be missing before @record. */
static void check_sequence(struct sources *sources, const char *name,
			   const struct tm_segment_record *record, struct gap *gap)
{
	if (record->kind != TM_SEGMENT_REPORT)
		return;
	if (gap->damaged && gap->next && record->sequence > gap->next)
		name_reports(sources, name, gap->next, record->sequence - 1);
	*gap = (struct gap){.next = record->sequence + 1};
}

static void name_fault(struct sources *sources, const struct options_input *input,
		       const struct tm_segment_reader *segment)
{
	const bool is_end = segment->fault_at + segment->fault_bytes == segment->bytes;

	if (input->is_last && is_end && segment->fault == TM_SEGMENT_FAULT_TORN)
		return; /* it is being written */
	name_part(sources, input->name, segment->fault_at, segment->fault_bytes,
		  tm_segment_fault_text(segment->fault));
}

static int read_segment(struct sources *sources, const struct options_input *input)
{
	struct tm_segment_reader segment;
	struct tm_segment_record record;
	struct gap gap = {0};
	int r = tm_segment_reader_open(&segment, input->fd), read = 0;

	while (r >= 0 && r != TM_SEGMENT_E_END && read == 0) {
		if (r == TM_SEGMENT_E_FAULT) {
			name_fault(sources, input, &segment);
			gap.damaged = true;
		}
		if (r == TM_SEGMENT_E_FAULT && segment.at == 0)
			return 0; /* nothing of it can be read */
		r = tm_segment_reader_next(&segment, &record);
		if (r != 0)
			continue;
		check_sequence(sources, input->name, &record, &gap);
		read = visit(sources, input, &segment, &record);
	}
	if (r < 0)
		name_damage(sources, input->name, strerror(-r));
	return read;
}

/* Of its first report. */
static unsigned share_of(int fd)
{
	struct tm_segment_reader segment;
	struct tm_segment_record record = {.kind = TM_SEGMENT_DELIVERED};
	int r = tm_segment_reader_open(&segment, fd);

	while (r == 0 && record.kind != TM_SEGMENT_REPORT)
		r = tm_segment_reader_next(&segment, &record);
	return r == 0 ? tm_segment_record_share(&record) : 0;
}

void sources_mark_last(struct options_input *inputs, unsigned count)
{
	bool later[TM_VIEW_SIDES][TM_SEGMENT_SHARES] = {{false}};

	for (unsigned i = count; i > 0; i--) {
		struct options_input *input = &inputs[i - 1];
		unsigned share = input->is_segment ? share_of(input->fd) : 0;

		if (!input->is_segment)
			continue;
		input->is_last = !later[input->side][share];
		later[input->side][share] = true;
	}
}

int sources_read(struct sources *sources, const struct options_input *input,
		 const struct selection_window *window)
{
	sources->reader->samples.side = input->side;
	sources->window = *window;
	/* Of a segment the records say when a report was. */
	sources->reader->window = input->is_segment ? SELECTION_ALWAYS : *window;
	return input->is_segment ? read_segment(sources, input) : read_otlp(sources, input);
}
