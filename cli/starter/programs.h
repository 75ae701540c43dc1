/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * programs - starts a program as it was prepared, with the descriptors of this start
 */

#include "cli/child.h"
#include "cli/outputs.h"
#include "cli/preparation.h"
#include "cli/starter/message.h"

/*
 * @outputs: files of the report in the making, which a symbolizer gets. @given: by enum
 * starter_slot; -1: none. Return: 0, or an exit code, after printing why.
 */
int programs_start(struct preparation *preparation, const struct outputs *outputs,
		   enum program_paths_program program, const int given[STARTER_SLOT_N],
		   struct child *ret_child);
