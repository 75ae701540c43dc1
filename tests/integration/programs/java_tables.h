/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * java_tables - the tables of a loaded libjvm.so that say where the fields of its structures lie
 *
 * Names are those of HotSpot. What is not in the tables lies at 0, and is not set.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* @library: of dlopen. Return: whether it has the tables. */
bool java_tables_open(void *library);
bool java_has(const char *type, const char *field);
size_t java_offset(const char *type, const char *field);
/* Of a static field. */
void *java_static(const char *type, const char *field);
size_t java_size(const char *type);
/* Of the JVM: 8 where the tables lack it. */
int java_version(void);
/* As wide as its type says. */
void java_set(void *structure, const char *type, const char *field, uint64_t value);
