/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * server - forks a worker for each request, relays its result, and kills those that hang
 *
 * Limits     PARSER_OPEN_MAX workers; each is killed after PARSER_DEADLINE_MS, or when it is the
 *            oldest of more than PARSER_SLOW_MAX that are older than PARSER_SLOW_MS. One that does
 *            not die within SERVER_DEATH_MS more (a hung file system) is abandoned. While
 *            PARSER_ABANDONED_MAX of these have not ended, a request ends the server, so that
 *            another one follows.
 * Signals    go to a worker's pidfd, so never to a process that has its number by now.
 */

#define SERVER_DEATH_MS 500
#define SERVER_END_MS   5000 /* for one that has closed its channel: it is on a busy machine */

/* Serves until the client closes the socket. Return: 0, -errno; -EBUSY: too many are abandoned. */
int server_run(int socket);
