/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reload - `tidemark reload`: has the services take what needs no restart from tidemark.conf
 *
 * Who may    root: the socket's owner. It reads the file and talks to the symbolizer, and to nobody
 *            else; restarts are systemd's.
 * Exit code  0: the values were taken; 1: the file has a mistake, and nothing was sent, or the
 *            symbolizer did not take the values or did not answer.
 */

#define RELOAD_ANSWER_SECONDS 5

/* @argv: argv[0] is the word `reload`. Return: exit code. */
int reload_main(int argc, char *const argv[]);
