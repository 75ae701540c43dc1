/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * server - takes requests, forks a worker for each, relays what it answers, ends what hangs
 *
 * Limits     PARSER_AT_ONCE workers; each is killed at PARSER_DEADLINE_MS; one that does not die
 *            within SERVER_DEATH_MS more (a hung file system) is abandoned, PARSER_ABANDONED_MAX in
 *            all.
 */

#define SERVER_DEATH_MS 500

/* Serves until the other end closes. Return: 0, -errno. */
int server_run(int socket);
