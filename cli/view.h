/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * view - `tidemark view` and `tidemark diff`: pictures of what was recorded before
 */

/* @argv: argv[0] is the word `view` or `diff`. Return: an exit code. */
int view_main(int argc, char *const argv[]);
