/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * noinline - a function that stays one function, under its own name, with any optimization
 *
 * gcc also makes clones of functions (name.constprop.0); clang makes none and has no word against
 * it.
 */

#if __has_attribute(noclone)
#define noinline __attribute__((noinline, noclone))
#else
#define noinline __attribute__((noinline))
#endif
