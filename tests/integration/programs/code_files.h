/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * code_files - a chain of functions, each in a file of its own, that calls one of the program
 *
 * The files are mapped; each function keeps a frame pointer. Limits: CODE_FILES_MAX files.
 */

#include <time.h>

#define CODE_FILES_MAX 100u

/* Writes @count files of code into @folder, which must be empty, and maps them. Return: 0, -1 with
 * errno. */
int code_files_make(const char *folder, unsigned count);
/* Calls the function of the first file, which calls that of the second and so on, and that of the
 * last one @last(..., @argument), whose first argument means nothing. */
void code_files_call(void (*last)(void **, unsigned), unsigned argument);
/* Sets the modification time of each of them. Return: 0, -1 with errno. */
int code_files_touch(time_t second);
