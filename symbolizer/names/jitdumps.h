/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * jitdumps - hands the jitdumps of sampled processes, which come like any mapped file, to jit_files
 *
 * A process's announcement names the file number of the jitdump that it has mapped; the collector
 * has proven that. Such a file grows (tm_identity_grows), so no other reader gets it. Processes
 * that share one have a descriptor each; whose pid the file does not bear gets no names of it.
 */

#include "symbolizer/names/jit_files.h"
#include "symbolizer/profile/files.h"

/* Return: whether the file @index, whose descriptor is there and stays the caller's, is a jitdump.
 * Those that were announced with it get it. */
bool jitdumps_take(struct jit_files *jit, const struct files *files, uint32_t index);
/* Asks the collector once more for jitdumps that came before their process was announced. */
void jitdumps_round(struct jit_files *jit, const struct files *files, int wire);
