/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * spool_client - the symbolizer's end of the socket to tidemark-spool: its messages, checked
 *
 * Trust      the spool reads a disk, so it is taken for hostile: a message of another form ends the
 *            connection, and a body is handed on only if it is sealed and as long as announced.
 * Waits      never.
 * Threads    one at a time.
 * Errors     SPOOL_CLIENT_E_GONE: there is no spool, or no more; then `socket` is -1.
 */

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/spool/spool.h"

enum {
	SPOOL_CLIENT_E_NONE = 1, /* no answer is there */
	SPOOL_CLIENT_E_GONE = 2,
	SPOOL_CLIENT_E_BUSY = 3, /* it does not read: nothing was sent */
};

struct spool_client {
	int socket;   /* borrowed; -1: none */
	int listener; /* borrowed: where the next one connects; -1: no other one comes */
	uint64_t first_id, last_id;
	uint64_t last_sequence; /* that was stored */
};

/* @first_id: higher than any of a client before this one. */
void spool_client_init(struct spool_client *client, int socket, uint64_t first_id);
/* Accepts the next spool, if there is none and one waits. Return: whether there is a new one. */
bool spool_client_accept(struct spool_client *client);
/* There is none any more. */
void spool_client_lose(struct spool_client *client);
/* @message: flags, body_bytes and what is below it. @body: sealed, stays the caller's. The answer
 * will have the id client->last_id. Return: 0, SPOOL_CLIENT_E_GONE, SPOOL_CLIENT_E_BUSY. */
int spool_client_store(struct spool_client *client, const struct spool_message *message, int body);
/* Asks for the oldest report behind @after. Return: as spool_client_store. */
int spool_client_fetch(struct spool_client *client, uint64_t after);
int spool_client_delivered(struct spool_client *client, uint64_t sequence);
/* A STORED or a REPORT to a question of ours. *ret_body: the caller's; -1: none.
 * Return: 0, SPOOL_CLIENT_E_NONE, SPOOL_CLIENT_E_GONE. */
int spool_client_receive(struct spool_client *client, struct spool_message *ret_message,
			 int *ret_body);
