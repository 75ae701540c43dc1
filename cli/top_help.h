/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * top_help - the text of `tidemark top --help`
 */

extern const char top_help[];
