/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reasons - names of the reasons that shared/event.h, wire.h and result.h number
 *
 * Each output, the JSON and the completeness line use these names. Return of each: a constant
 * string, "unknown" for a number out of range (it may come from a peer); never NULL.
 */

const char *tm_reasons_drop(unsigned reason);       /* enum tm_drop */
const char *tm_reasons_stop(unsigned reason);       /* enum tm_stop */
const char *tm_reasons_unresolved(unsigned reason); /* enum tm_unresolved */
const char *tm_reasons_parse(unsigned reason);      /* enum tm_parse_failure */
const char *tm_reasons_unnamed(unsigned reason);    /* enum tm_unnamed */
const char *tm_reasons_no_line(unsigned reason);    /* enum tm_no_line */
const char *tm_reasons_no_file(unsigned reason);    /* enum tm_no_file */
const char *tm_reasons_thread(unsigned state);      /* enum tm_thread_state */
const char *tm_reasons_debuginfod(unsigned reason); /* enum tm_debuginfod_count */
const char *tm_reasons_export(unsigned reason);     /* enum tm_export */
const char *tm_reasons_memory(unsigned share);      /* enum tm_memory_share */
