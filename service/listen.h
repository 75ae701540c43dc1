/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * listen - makes listening sockets, and becomes the program that gets them as from systemd
 *
 * For containers, where no service manager hands them over: the program finds LISTEN_FDS,
 * LISTEN_FDNAMES and LISTEN_PID in its environment (shared/service.h).
 *
 * Access     the owner and the group of the socket may connect, and nobody else. The group is that
 *            of the folder if it has the set-group-ID bit, else ours.
 * Limits     LISTEN_SOCKETS_MAX sockets. A socket that lies there from an earlier run is replaced;
 *            anything else at that path is an error.
 */

#define LISTEN_SOCKETS_MAX 8

/* @argv: NAME=PATH... -- PROGRAM [OPTION...]. Return: exit code, only when it failed. */
int listen_main(char **argv);
