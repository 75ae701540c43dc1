/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * check - includes cmocka and the headers that must precede it
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
