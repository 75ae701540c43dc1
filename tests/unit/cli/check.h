/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * check - cmocka with what it wants to be included before it
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
