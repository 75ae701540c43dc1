/* SPDX-License-Identifier: Apache-2.0 */
/* report_counts - a report's completeness as text that is read again and added up */

#include "symbolizer/output/report_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/parse.h"
#include "shared/reasons.h"

#define VERSION    "1"
#define PART_BYTES 64 /* a space, two names with their separators, a number */
#define NAME_BYTES 64 /* of a field or reason that is read */

#define OF(member) offsetof(struct report, member), sizeof(((struct report *)0)->member)

static const struct field {
	const char *name;
	size_t at, bytes;
	const char *(*reason)(unsigned); /* NULL: one number */
} fields[] = {
	{"taken", OF(taken), NULL},
	{"exported", OF(exported), NULL},
	{"not_run", OF(not_run), NULL},
	{"thinned", OF(thinned), NULL},
	{"drops", OF(drops), tm_reasons_drop},
	{"truncated", OF(truncated), tm_reasons_stop},
	{"unresolved", OF(unresolved), tm_reasons_unresolved},
	{"unopened", OF(unopened), tm_reasons_no_file},
	{"frames", OF(frames_shown), NULL},
	{"unnamed_frames", OF(unnamed_frames), NULL},
	{"unnamed", OF(unnamed), tm_reasons_unnamed},
	{"lines", OF(lines), NULL},
	{"no_line", OF(no_line), tm_reasons_no_line},
	{"merged", OF(merged), NULL},
	{"late_records", OF(late_records), NULL},
	{"off_cpu.taken", OF(off_cpu.taken), NULL},
	{"off_cpu.taken_ns", OF(off_cpu.taken_ns), NULL},
	{"off_cpu.exported", OF(off_cpu.exported), NULL},
	{"off_cpu.exported_ns", OF(off_cpu.exported_ns), NULL},
	{"off_cpu.drops", OF(off_cpu.drops), tm_reasons_drop},
	{"off_cpu.drops_ns", OF(off_cpu.drops_ns), tm_reasons_drop},
	{"off_cpu.truncated", OF(off_cpu.truncated), tm_reasons_stop},
	{"off_cpu.times", OF(off_cpu.times), NULL},
	{"off_cpu.times_ns", OF(off_cpu.times_ns), NULL},
	{"off_cpu.untracked", OF(off_cpu.untracked), NULL},
	{"off_cpu.unseen_ns", OF(off_cpu.unseen_ns), NULL},
	{"off_cpu.in_progress", OF(off_cpu.in_progress), NULL},
	{"off_cpu.in_progress_ns", OF(off_cpu.in_progress_ns), NULL},
	{"off_cpu.woken", OF(off_cpu.woken), NULL},
	{"off_cpu.wakers_lost", OF(off_cpu.wakers_lost), NULL},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

_Static_assert((32 + (size_t)4 * TM_DROP_N + 3 * TM_STOP_N + TM_UNNAMED_N + TM_NO_LINE_N +
		TM_NO_FILE_N + TM_UNRESOLVED_N) *
			       PART_BYTES <=
		       REPORT_COUNTS_BYTES,
	       "every count fits");

/* --- writing ---------------------------------------------------------------------------------- */

struct line {
	char *text;
	size_t used;
};

static void add(struct line *line, const char *name, const char *reason, uint64_t number)
{
	size_t space = REPORT_COUNTS_BYTES - line->used;
	int length;

	if (number == 0)
		return;
	length = snprintf(line->text + line->used, space, " %s%s%s=%" PRIu64, name,
			  reason ? "." : "", reason ? reason : "", number);
	if (length > 0)
		line->used += (size_t)length < space ? (size_t)length : space - 1;
}

static const uint64_t *numbers_of(const struct report *report, const struct field *field)
{
	return (const uint64_t *)((const char *)report + field->at);
}

void report_counts_format(const struct report *report, char text[static REPORT_COUNTS_BYTES])
{
	struct line line = {.text = text, .used = sizeof(VERSION) - 1};

	memcpy(text, VERSION, sizeof(VERSION));
	add(&line, "hz", NULL, report->hz);
	add(&line, "period_ns", NULL, report->period_ns);
	add(&line, "kinds", NULL, report->kinds);
	for (size_t i = 0; i < FIELDS; i++) {
		const struct field *field = &fields[i];
		const uint64_t *numbers = numbers_of(report, field);

		for (unsigned j = 0; j < field->bytes / sizeof(*numbers); j++)
			add(&line, field->name, field->reason ? field->reason(j) : NULL,
			    numbers[j]);
	}
}

/* --- reading ---------------------------------------------------------------------------------- */

static void sum(uint64_t *total, uint64_t number)
{
	if (__builtin_add_overflow(*total, number, total))
		*total = UINT64_MAX;
}

/* @name: "drops.ring_full" or "taken". */
static void add_to_field(struct report *report, const char *name, uint64_t number)
{
	for (size_t i = 0; i < FIELDS; i++) {
		const struct field *field = &fields[i];
		uint64_t *numbers = (uint64_t *)((char *)report + field->at);
		size_t length = strlen(field->name);

		if (strncmp(name, field->name, length) != 0)
			continue;
		if (!field->reason && name[length] == '\0')
			sum(numbers, number);
		if (!field->reason || name[length] != '.')
			continue;
		for (unsigned j = 0; j < field->bytes / sizeof(*numbers); j++)
			if (strcmp(field->reason(j), name + length + 1) == 0)
				sum(&numbers[j], number);
	}
}

static void take(struct report *report, const char *name, uint64_t number)
{
	if (strcmp(name, "hz") == 0)
		report->hz = number;
	else if (strcmp(name, "period_ns") == 0)
		report->period_ns = number;
	else if (strcmp(name, "kinds") == 0)
		report->kinds |= (uint32_t)number & ((1u << TM_SAMPLE_KINDS_N) - 1);
	else
		add_to_field(report, name, number);
}

int report_counts_add(struct report *report, const char *text)
{
	const size_t version = sizeof(VERSION) - 1;

	if (strncmp(text, VERSION, version) != 0 || (text[version] && text[version] != ' '))
		return REPORT_COUNTS_E_VERSION;
	text += version;
	while (*text == ' ') {
		const size_t name_bytes = strcspn(++text, "= ");
		const char *number = text + name_bytes + 1;
		char name[NAME_BYTES];
		uint64_t value = 0;

		if (text[name_bytes] == '=' && name_bytes < sizeof(name) &&
		    tm_parse_digits(&number, &value) == 0) {
			memcpy(name, text, name_bytes);
			name[name_bytes] = '\0';
			take(report, name, value);
		}
		text += strcspn(text, " ");
	}
	return 0;
}
