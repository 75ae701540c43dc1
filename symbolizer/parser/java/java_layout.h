/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * java_layout - where the fields lie that the unwinder reads, by the tables of a HotSpot
 *
 * Which fields the tables have tells the form of the structures (enum tm_java_scopes), not the
 * version. Nothing is guessed: without a field, with one that is not known or has another width,
 * with two at the same place of a structure there is no layout.
 */

#include "shared/runtime.h"
#include "symbolizer/parser/java/java_tables.h"

/* But for the stubs, of which no table tells, and where the codelets are, whose fields may be
 * missing. Return: false: not known. */
bool java_layout_find(struct tm_java *ret_java, const struct java_tables *tables);
