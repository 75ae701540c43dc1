/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * view_help - the texts of `tidemark view --help` and `tidemark diff --help`
 */

extern const char view_help_view[];
extern const char view_help_diff[];
