/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reasons - the reasons of shared/event.h and control.h as lower-case words for every output
 *
 * A number out of range, which may come from a peer, is "unknown". Never NULL.
 */

const char *tm_reasons_drop(unsigned reason);       /* enum tm_drop */
const char *tm_reasons_stop(unsigned reason);       /* enum tm_stop */
const char *tm_reasons_unresolved(unsigned reason); /* enum tm_unresolved */
const char *tm_reasons_parse(unsigned reason);      /* enum tm_parse_failure */
