/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * path - follows one control-flow path through a function, instruction by instruction
 */

#include "symbolizer/parser/x86/walk.h"

/* Follows @path to its end; its branches become new paths of the walk.
 * Return: 0, WALK_REJECTED, PARSER_FAILED (memory). */
int path_follow(struct walk *walk, struct walk_path path);
