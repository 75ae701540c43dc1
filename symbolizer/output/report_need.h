/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_need - how much memory a report takes at most, before it takes it
 *
 * What they allocate in arrays of known size is charged at once, beforehand, so that no file is
 * left half written for want of memory. The nodes of the page's tree and the messages of OTLP,
 * whose number shows only as they grow, are charged one by one (report.memory); an output that
 * fails for them has written nothing.
 */

#include "symbolizer/names/name_table.h"
#include "symbolizer/output/report_need_write.h"

/*
 * Of names, report and its writers together, roughly, before the names are looked up.
 * @formats: of the writers; the bit of each (1u << enum outputs_format).
 */
uint64_t report_need_about(const struct aggregate *aggregate, const struct name_table *names,
			   uint32_t formats);
/* Of the arrays that report_build does not charge. */
uint64_t report_need_build(const struct aggregate *aggregate);
