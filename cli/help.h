/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * help - the texts of --help
 */

enum help_page {
	HELP_MAIN,
	HELP_RECORD,
	HELP_CONFIG,
	HELP_RELOAD,
	HELP_STATUS,
	HELP_VIEW,
	HELP_DIFF,
	HELP_TOP,
	HELP_DOCTOR,
	HELP_N,
};

/* On stdout. Return: EXIT_CODE_WRITTEN, EXIT_CODE_FAILED (stdout cannot be written). */
int help_print(enum help_page page);
