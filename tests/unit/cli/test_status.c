/* SPDX-License-Identifier: Apache-2.0 */
/* test_status - JSON and metrics contain the same figures, once each and in their forms */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/status_figures.h"
#include "cli/status_write.h"
#include "shared/cleanup.h"
#include "shared/reasons.h"

static const struct tm_status example = {
	.hz = 19,
	.interval_ms = 5000,
	.now = 100000000000ull,
	.started = 40000000000ull,
	.watermark = 99900000000ull,
	.reported = 98000000000ull,
	.reports = 12,
	.counts = {.taken = 1000,
		   .hits = 1000,
		   .owed = 1010,
		   .cpus = 2,
		   .drops[0] = 5,
		   .bpf.thinned = 8,
		   .weight_ns = {50000000000ull, 4000000000ull, 0, 6000000000ull}},
	.result = {.exported = 990,
		   .drops[0] = 5,
		   .frames = 40000,
		   .unnamed_frames = 7,
		   .export = {.spool_bytes = 3 << 19,
			      .spool_reach_ns = 90000000000000ull,
			      .spool_least_ns = 3660000000000ull}},
};
static const struct status_unit units[STATUS_UNITS_N] = {
	[STATUS_UNITS_COLLECTOR] = {.has_cpu = true, .cpu_us = 1500000},
};

static char *written(void (*write)(FILE *, const struct tm_status *, const struct status_unit *))
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	write(out, &example, units);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void every_figure_fits(void **state)
{
	static struct status_figure figures[STATUS_FIGURES_MAX];

	assert_in_range(status_figures_make(&example, units, figures), 50, STATUS_FIGURES_MAX - 1);
}

static void figures_of_one_name_stand_together(void **state)
{
	static struct status_figure figures[STATUS_FIGURES_MAX];
	unsigned count = status_figures_make(&example, units, figures);

	for (unsigned i = 1; i < count; i++) {
		if (strcmp(figures[i - 1].name, figures[i].name) == 0)
			continue;
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(figures[j].name, figures[i].name);
	}
}

static void drops_of_both_sides_add_up(void **state)
{
	_cleanup_(tm_freep) char *text = written(status_write_prometheus);
	char line[128];

	(void)snprintf(line, sizeof(line), "\ntidemark_samples_dropped_total{reason=\"%s\"} 10\n",
		       tm_reasons_drop(0));
	assert_non_null(strstr(text, line));
	assert_non_null(strstr(text, "\ntidemark_samples_not_run_total 10\n"));
	assert_non_null(strstr(text, "\ntidemark_hits_thinned_total 8\n"));
	assert_non_null(strstr(text, "\ntidemark_spool_bytes 1572864\n"));
	assert_non_null(strstr(text, "\ntidemark_spool_reach_seconds 90000\n"));
	assert_non_null(strstr(text, "\ntidemark_spool_least_reach_seconds 3660\n"));
	assert_non_null(strstr(text, "# TYPE tidemark_samples_taken_total counter\n"));
	assert_non_null(strstr(text, "# TYPE tidemark_report_age_seconds gauge\n"));
	assert_non_null(strstr(text, "\ntidemark_report_age_seconds 2\n"));
	assert_non_null(strstr(text, "\ntidemark_rate_lowered_seconds_total 10\n"));
	assert_non_null(strstr(text, "\ntidemark_watermark_lag_seconds 0.1\n"));
	assert_non_null(
		strstr(text, "\ntidemark_unit_cpu_seconds_total{unit=\"collector\"} 1.5\n"));
	assert_null(strstr(text, "unit=\"opener\"")); /* its cgroup says nothing */
}

static void json_nests_reasons(void **state)
{
	_cleanup_(tm_freep) char *text = written(status_write_json);

	assert_int_equal(text[0], '{');
	assert_string_equal(text + strlen(text) - 2, "}\n");
	assert_non_null(strstr(text, "\"samples_taken\": 1000,"));
	assert_non_null(strstr(text, "\"samples_dropped\": {\""));
	assert_non_null(strstr(text, "\"unit_cpu_seconds\": {\"collector\": 1.5}"));
}

static void text_names_what_was_dropped(void **state)
{
	_cleanup_(tm_freep) char *text = written(status_write_text);
	char words[64];

	(void)snprintf(words, sizeof(words), "dropped 10 (%s 10)", tm_reasons_drop(0));
	assert_non_null(strstr(text, "samples 2 CPUs at 19 Hz, for 1 min 0 s; 8 hits thinned; rate "
				     "lowered for 10.0 s, at most to 1/8\n"));
	assert_non_null(strstr(text, "\nspool       1.5 MiB, reaches back 1 d 1 h, for "
				     "who fills it 1 h 1 min\n"));
	assert_non_null(strstr(text, words));
	assert_non_null(strstr(text, "the last one 2.0 s ago, every 5.0 s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_figure_fits),
		cmocka_unit_test(figures_of_one_name_stand_together),
		cmocka_unit_test(drops_of_both_sides_add_up),
		cmocka_unit_test(json_nests_reasons),
		cmocka_unit_test(text_names_what_was_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
