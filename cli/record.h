/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * record - `tidemark record`: the steps of one recording, in order
 */

/* @argv: argv[0] is the word `record`. Return: the exit code, enum exit_code. */
int record_main(int argc, char *const argv[]);
