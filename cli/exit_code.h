/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * exit_code - exit codes of the command; part of its interface, never renumbered
 *
 * Every step of `record` returns 0 or one of these, after printing why on stderr.
 */

enum exit_code {
	EXIT_CODE_WRITTEN = 0, /* every output is in its place */
	EXIT_CODE_FAILED = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_HOST = 3, /* this host or this account cannot record */
	EXIT_CODE_SOME = 4, /* some outputs are in their place, others could not be written */
};
