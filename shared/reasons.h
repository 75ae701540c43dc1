/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reasons - the reasons of shared/event.h as the lower-case words that every output prints
 *
 * A number out of range, which may come from a peer, is "unknown". Never NULL.
 */

const char *tm_reasons_drop(unsigned reason);       /* enum tm_drop */
const char *tm_reasons_stop(unsigned reason);       /* enum tm_stop */
const char *tm_reasons_unresolved(unsigned reason); /* enum tm_unresolved */
