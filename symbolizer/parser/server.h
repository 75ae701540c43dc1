/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * server - forks a worker for each request, relays its result, and kills those that hang
 *
 * Limits     PARSER_AT_ONCE workers; each is killed at parser_deadline_ms(); one that does not die
 *            within SERVER_DEATH_MS more (a hung file system) is abandoned, PARSER_ABANDONED_MAX in
 *            all.
 */

#define SERVER_DEATH_MS 500

/* Serves until the client closes the socket. Return: 0, -errno. */
int server_run(int socket);
