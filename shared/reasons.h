/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reasons - the reasons of shared/event.h as the lower-case words that every output prints
 *
 * A number out of range, which may come from a peer, is "unknown". Never NULL.
 */

const char *tm_drop_word(unsigned reason);       /* enum tm_drop */
const char *tm_stop_word(unsigned reason);       /* enum tm_stop */
const char *tm_unresolved_word(unsigned reason); /* enum tm_unresolved */
