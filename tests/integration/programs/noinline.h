/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * noinline - keeps a function whole and under its own name at any optimization
 *
 * gcc also makes clones of functions (name.constprop.0); clang makes none and has no attribute
 * against it.
 */

#if __has_attribute(noclone)
#define noinline __attribute__((noinline, noclone))
#else
#define noinline __attribute__((noinline))
#endif
