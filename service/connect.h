/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * connect - connects to the socket of another service, and becomes the program that uses it
 *
 * It waits until somebody listens there.
 *
 * So that opener, parser and exporter get --socket-fd=N from their unit as they do from the
 * command, and need no right to make a socket.
 */

#define CONNECT_WAIT_MS 250 /* between two attempts while nobody listens */

/* @argv: SOCKET PROGRAM [OPTION...]. Return: exit code, only when it failed. */
int connect_main(char **argv);
