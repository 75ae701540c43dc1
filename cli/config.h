/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * config - `tidemark config`: shows the configuration of the services, or checks it
 */

#include <stdbool.h>

struct config_file;

/* Reads the file @path and prints what is wrong in it, each as FILE:LINE: KEY: reason; @named: on
 * the command line: it has to be there. config_file_free, whatever comes. Return: 0,
 * EXIT_CODE_FAILED: it cannot be read, or something is wrong. */
int config_load(struct config_file *file, const char *path, bool named);
/* @argv: argv[0] is the word `config`. Return: exit code. */
int config_main(int argc, char *const argv[]);
