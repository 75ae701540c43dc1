/* SPDX-License-Identifier: Apache-2.0 */
/* doctor - `tidemark doctor`: what this host and this account allow, and what they lack */

#include "cli/doctor.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/terminal.h"

void doctor_add(struct doctor *doctor, const char *check, enum doctor_verdict verdict,
		const char *advice, const char *format, ...)
{
	struct doctor_finding *finding = &doctor->findings[doctor->count];
	va_list arguments;

	if (doctor->count == DOCTOR_CHECKS_MAX)
		return;
	*finding = (struct doctor_finding){.check = check, .verdict = verdict, .advice = advice};
	va_start(arguments, format);
	(void)vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
	terminal_clean(finding->text, sizeof(finding->text));
	doctor->count++;
}

static size_t count_of(const struct doctor *doctor, enum doctor_verdict verdict)
{
	size_t count = 0;

	for (size_t i = 0; i < doctor->count; i++)
		count += doctor->findings[i].verdict == verdict;
	return count;
}

static void print_text(const struct doctor *doctor)
{
	static const char *const words[DOCTOR_VERDICTS_N] = {"ok", "note", "FAIL"};
	const size_t failed = count_of(doctor, DOCTOR_FAIL), notes = count_of(doctor, DOCTOR_NOTE);

	for (size_t i = 0; i < doctor->count; i++) {
		const struct doctor_finding *finding = &doctor->findings[i];

		(void)printf("%-4s  %-12s  %s\n", words[finding->verdict], finding->check,
			     finding->text);
		if (finding->advice)
			(void)printf("%20s%s\n", "", finding->advice);
	}
	if (failed)
		(void)printf("recording is not possible here: %zu of %zu checks fail\n", failed,
			     doctor->count);
	else
		(void)printf("recording is possible here%s\n",
			     notes ? "; see the notes for what it lacks" : "");
}

/* Texts are clean, so quotes and backslashes alone are escaped. */
static void put_string(const char *text)
{
	(void)putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			(void)putchar('\\');
		(void)putchar(*text);
	}
	(void)putchar('"');
}

static void print_json(const struct doctor *doctor)
{
	static const char *const words[DOCTOR_VERDICTS_N] = {"ok", "note", "fail"};

	(void)printf("{\"recording_possible\": %s, \"checks\": [",
		     count_of(doctor, DOCTOR_FAIL) ? "false" : "true");
	for (size_t i = 0; i < doctor->count; i++) {
		const struct doctor_finding *finding = &doctor->findings[i];

		(void)printf("%s\n  {\"check\": \"%s\", \"verdict\": \"%s\", \"text\": ",
			     i ? "," : "", finding->check, words[finding->verdict]);
		put_string(finding->text);
		(void)printf(", \"advice\": ");
		if (finding->advice)
			put_string(finding->advice);
		else
			(void)printf("null");
		(void)printf("}");
	}
	(void)printf("\n]}\n");
}

/* Return: 0, OPTIONS_E_HELP, OPTIONS_E_USAGE. */
static int parse(int argc, char *const argv[], bool *ret_json, char *ret_problem)
{
	static const struct option long_options[] = {
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (option != 'j')
			return options_other(option, argv, "doctor", ret_problem);
		*ret_json = true;
	}
	return optind < argc
		       ? problem_write(ret_problem, "%s: doctor takes no argument", argv[optind])
		       : 0;
}

int doctor_main(int argc, char *const argv[])
{
	static struct doctor doctor; /* large */
	char problem[PROBLEM_BYTES];
	bool json = false;
	int r = parse(argc, argv, &json, problem);

	if (r == OPTIONS_E_HELP)
		return help_print(HELP_DOCTOR);
	if (r == OPTIONS_E_USAGE) {
		terminal_print("%s (see tidemark doctor --help)", problem);
		return EXIT_CODE_USAGE;
	}
	doctor_check_kernel(&doctor);
	doctor_check_account(&doctor);
	if (json)
		print_json(&doctor);
	else
		print_text(&doctor);
	if (fflush(stdout) != 0)
		return EXIT_CODE_FAILED;
	return count_of(&doctor, DOCTOR_FAIL) ? EXIT_CODE_HOST : 0;
}
