/* SPDX-License-Identifier: Apache-2.0 */
/* progress - one live line on a terminal while it records; nothing where stderr is no terminal */

#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/terminal.h"

#define NS_PER_TENTH 100000000ull

void progress_show(uint64_t elapsed_ns, const struct tm_counts *counts, unsigned reports)
{
	char written[32] = "";
	uint64_t dropped = 0;
	unsigned i;

	if (!isatty(STDERR_FILENO))
		return;
	for (i = 0; i < TM_DROP_N; i++)
		dropped += counts->drops[i];
	say_wipe();
	if (reports > 0)
		(void)snprintf(written, sizeof(written), ", %u reports", reports);
	(void)fprintf(stderr, "recording %llu.%llu s, %llu samples, %llu dropped%s (Ctrl-C ends)",
		      (unsigned long long)(elapsed_ns / NS_PER_TENTH / 10),
		      (unsigned long long)(elapsed_ns / NS_PER_TENTH % 10),
		      (unsigned long long)counts->taken, (unsigned long long)dropped, written);
	(void)fflush(stderr);
	say_live_line(true);
}

void progress_word(const char *word)
{
	if (!isatty(STDERR_FILENO))
		return;
	say_wipe();
	(void)fprintf(stderr, "%s", word);
	(void)fflush(stderr);
	say_live_line(true);
}
