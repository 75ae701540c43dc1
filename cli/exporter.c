/* SPDX-License-Identifier: Apache-2.0 */
/* exporter - starts tidemark-exporter, which sends what the symbolizers hand over by OTLP */

#include "cli/exporter.h"

#include "shared/cleanup.h"

void exporter_start(struct exporter *exporter, struct starter_client *starter)
{
	if (exporter->socket < 0)
		exporter->socket =
			symbolizer_child_start(&exporter->child, starter, PROGRAM_PATHS_EXPORTER);
}

void exporter_end(struct exporter *exporter, bool expected)
{
	symbolizer_child_end(&exporter->child, expected, "no more profiles are sent");
}

void exporter_stop(struct exporter *exporter, unsigned ms)
{
	exporter->socket = tm_close(exporter->socket);
	symbolizer_child_await(&exporter->child, ms);
}
