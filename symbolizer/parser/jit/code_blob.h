/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * code_blob - writes the answer to PARSER_JITDUMP: codes, spans, versions, lines, names
 */

#include "symbolizer/parser/jit/code_list.h"
#include "symbolizer/parser/result_blob.h"

/* @list: after code_list_follow_moves(). Return: 0, PARSER_FAILED (memory). */
int code_blob_write(struct result_blob *result, const struct code_list *list, uint32_t pid);
