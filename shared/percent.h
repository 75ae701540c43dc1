/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * percent - bytes that a text has as '%' and two hexadecimal digits
 *
 * Source     RFC 3986, 2.1.
 */

/* Return: the byte that two digits of either case stand for; -1: they are none. @digits[1] is not
 * looked at if digits[0] is none, so a NUL may stand at either. */
int tm_percent_byte(const char *digits);
