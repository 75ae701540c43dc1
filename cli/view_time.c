/* SPDX-License-Identifier: Apache-2.0 */
/* view_time - instants as users write them */

#include "cli/view_time.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_SECOND 1000000000ull
#define DAY_SECONDS   86400
#define YEAR_MIN      1970
#define YEAR_MAX      2200
#define FRACTION_MAX  9

struct written { /* what a text says */
	bool has_date, has_offset;
	int year, month, day, hour, minute, second;
	uint64_t fraction_ns;
	int offset_minutes; /* east of UTC */
};

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads exactly @digits digits. */
static bool read_digits(const char **at, int digits, int least, int most, int *ret_number)
{
	int number = 0;

	for (int i = 0; i < digits; i++) {
		if ((*at)[i] < '0' || (*at)[i] > '9')
			return false;
		number = 10 * number + ((*at)[i] - '0');
	}
	if (number < least || number > most)
		return false;
	*at += digits;
	*ret_number = number;
	return true;
}

static bool read_one(const char **at, const char *any_of)
{
	if (**at == '\0' || !strchr(any_of, **at))
		return false;
	++*at;
	return true;
}

static int days_of(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

static bool read_date(const char **at, struct written *written)
{
	written->has_date = true;
	return read_digits(at, 4, YEAR_MIN, YEAR_MAX, &written->year) && read_one(at, "-") &&
	       read_digits(at, 2, 1, 12, &written->month) && read_one(at, "-") &&
	       read_digits(at, 2, 1, days_of(written->year, written->month), &written->day) &&
	       read_one(at, " Tt");
}

static bool read_fraction(const char **at, struct written *written)
{
	uint64_t unit = NS_PER_SECOND;
	int digits = 0;

	if (!read_one(at, "."))
		return true;
	for (; **at >= '0' && **at <= '9'; ++*at, digits++) {
		unit /= 10;
		written->fraction_ns += (uint64_t)(**at - '0') * unit;
	}
	return digits > 0 && digits <= FRACTION_MAX;
}

static bool read_clock(const char **at, struct written *written)
{
	if (!read_digits(at, 2, 0, 23, &written->hour) || !read_one(at, ":") ||
	    !read_digits(at, 2, 0, 59, &written->minute))
		return false;
	if (!read_one(at, ":"))
		return true;
	return read_digits(at, 2, 0, 59, &written->second) && read_fraction(at, written);
}

static bool read_offset(const char **at, struct written *written)
{
	int sign = **at == '-' ? -1 : 1, hours, minutes;

	if (**at == '\0')
		return true;
	written->has_offset = true;
	if (read_one(at, "Zz"))
		return true;
	if (!read_one(at, "+-") || !read_digits(at, 2, 0, 23, &hours) || !read_one(at, ":") ||
	    !read_digits(at, 2, 0, 59, &minutes))
		return false;
	written->offset_minutes = sign * (60 * hours + minutes);
	return true;
}

static bool read_text(const char *text, struct written *written)
{
	const char *at = text;

	*written = (struct written){0};
	if (strchr(text, '-') && !read_date(&at, written))
		return false;
	return read_clock(&at, written) && read_offset(&at, written) && *at == '\0' &&
	       (written->has_date || !written->has_offset);
}

/* --- local time ------------------------------------------------------------------------------- */

static struct tm fields_of(const struct written *written)
{
	return (struct tm){
		.tm_year = written->year - 1900,
		.tm_mon = written->month - 1,
		.tm_mday = written->day,
		.tm_hour = written->hour,
		.tm_min = written->minute,
		.tm_sec = written->second,
		.tm_isdst = -1,
	};
}

/* As if in UTC. */
static time_t utc_of(const struct written *written)
{
	struct tm fields = fields_of(written);

	return timegm(&fields);
}

static long offset_at(time_t at)
{
	struct tm local;

	return localtime_r(&at, &local) ? local.tm_gmtoff : 0;
}

/* The instant that the fields mean by the offset that holds at @near; *ret_holds: it holds then. */
static time_t by_offset_at(time_t utc, time_t near, bool *ret_holds)
{
	long offset = offset_at(near);
	time_t instant = utc - offset;

	*ret_holds = offset_at(instant) == offset;
	return instant;
}

static void write_rfc3339(time_t at, long offset, char ret_text[VIEW_TIME_TEXT_BYTES])
{
	const time_t shifted = at + offset;
	const unsigned minutes = (unsigned)(offset < 0 ? -offset : offset) / 60;
	struct tm fields = {0};
	char date[24] = "";

	(void)gmtime_r(&shifted, &fields);
	(void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &fields);
	(void)snprintf(ret_text, VIEW_TIME_TEXT_BYTES, "%s%c%02u:%02u", date,
		       offset < 0 ? '-' : '+', minutes / 60 % 100, minutes % 60);
}

static int refuse(const char *what, const char *text, bool skipped, time_t first, time_t second,
		  char *ret_problem)
{
	char one[VIEW_TIME_TEXT_BYTES], other[VIEW_TIME_TEXT_BYTES];

	write_rfc3339(first, offset_at(first), one);
	write_rfc3339(second, offset_at(second), other);
	return problem_write(ret_problem,
			     skipped ? "%s %s: the clock was put forward and left this time out: "
				       "write %s or %s"
				     : "%s %s: the clock was put back and showed this time twice: "
				       "write %s or %s",
			     what, text, one, other);
}

/* By the offsets of the day before and the day after: between them at most one change lies. */
static int resolve(const char *what, const char *text, const struct written *written,
		   uint64_t *ret_unix_ns, char *ret_problem)
{
	const time_t utc = utc_of(written);
	bool before_holds, after_holds;
	time_t before = by_offset_at(utc, utc - DAY_SECONDS, &before_holds);
	time_t after = by_offset_at(utc, utc + DAY_SECONDS, &after_holds);
	time_t instant = before_holds ? before : after;

	if (!before_holds && !after_holds)
		return refuse(what, text, /* skipped= */ true, after, before, ret_problem);
	if (before_holds && after_holds && before != after)
		return refuse(what, text, /* skipped= */ false, before, after, ret_problem);
	if (instant < 0)
		return problem_write(ret_problem, "%s %s: before 1970", what, text);
	*ret_unix_ns = (uint64_t)instant * NS_PER_SECOND + written->fraction_ns;
	return 0;
}

/* The date that is @days before that of @at. */
static void set_date(struct written *written, time_t at, int days)
{
	struct tm local = {0};
	struct tm noon;

	(void)localtime_r(&at, &local);
	noon = (struct tm){.tm_year = local.tm_year,
			   .tm_mon = local.tm_mon,
			   .tm_mday = local.tm_mday - days,
			   .tm_hour = 12};
	(void)timegm(&noon); /* carries days into months */
	written->year = noon.tm_year + 1900;
	written->month = noon.tm_mon + 1;
	written->day = noon.tm_mday;
}

/* Of a time without a date. */
static int resolve_nearest(const char *what, const char *text, struct written *written,
			   const struct view_time_reference *reference, uint64_t *ret_unix_ns,
			   char *ret_problem)
{
	const uint64_t after = reference->after_unix_ns;
	const time_t near = (time_t)((after ? after : reference->now_unix_ns) / NS_PER_SECOND);
	int r;

	set_date(written, near, 0);
	r = resolve(what, text, written, ret_unix_ns, ret_problem);
	if (r)
		return r;
	if (after ? *ret_unix_ns > after : *ret_unix_ns <= reference->now_unix_ns)
		return 0;
	set_date(written, near, after ? -1 : 1);
	return resolve(what, text, written, ret_unix_ns, ret_problem);
}

int view_time_parse(const char *what, const char *text, const struct view_time_reference *reference,
		    uint64_t *ret_unix_ns, char *ret_problem)
{
	struct written written;
	time_t instant;

	if (!read_text(text, &written))
		return problem_write(ret_problem,
				     "%s %s: a time is needed, such as 02:50, \"2026-11-23 "
				     "02:50\" or 2026-11-23T02:50:10+01:00",
				     what, text);
	if (!written.has_date)
		return resolve_nearest(what, text, &written, reference, ret_unix_ns, ret_problem);
	if (!written.has_offset)
		return resolve(what, text, &written, ret_unix_ns, ret_problem);
	instant = utc_of(&written) - (time_t)written.offset_minutes * 60;
	if (instant < 0)
		return problem_write(ret_problem, "%s %s: before 1970", what, text);
	*ret_unix_ns = (uint64_t)instant * NS_PER_SECOND + written.fraction_ns;
	return 0;
}

void view_time_format(uint64_t unix_ns, char ret_text[VIEW_TIME_TEXT_BYTES])
{
	const time_t at = (time_t)(unix_ns / NS_PER_SECOND);
	struct tm local;

	if (!localtime_r(&at, &local) ||
	    strftime(ret_text, VIEW_TIME_TEXT_BYTES, "%Y-%m-%d %H:%M:%S", &local) == 0)
		(void)snprintf(ret_text, VIEW_TIME_TEXT_BYTES, "?");
}
