/* SPDX-License-Identifier: Apache-2.0 */
/* spool - starts tidemark-spool, which keeps what the symbolizers hand over on this host */

#include "cli/spool.h"

#include "shared/cleanup.h"

void spool_start(struct spool *spool, struct starter_client *starter)
{
	if (spool->socket < 0)
		spool->socket = symbolizer_child_start(&spool->child, starter, PROGRAM_PATHS_SPOOL);
}

void spool_end(struct spool *spool, bool expected)
{
	symbolizer_child_end(&spool->child, expected, "no more reports are kept");
}

void spool_stop(struct spool *spool, unsigned ms)
{
	spool->socket = tm_close(spool->socket);
	symbolizer_child_await(&spool->child, ms);
}
