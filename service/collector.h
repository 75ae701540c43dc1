/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * collector - takes the command's place for the collector of the service
 *
 * The collector is our child and has the same control socket as with `tidemark record`
 * (shared/control.h); so what systemd asks of a service, and who connects to it, is no matter of
 * the program with privileges.
 *
 * Sockets    `symbolizer` and `opener`, from systemd: whoever connects there is sent on, with
 *            ATTACH or OPENER. Who may connect, the sockets' owners say.
 * CPUs       one that comes online is sampled where CAP_PERFMON suffices to open its event.
 * Life       READY once sampling has started; a sign of life whenever the collector sends its
 *            counts, so systemd's watchdog sees one that hangs. A signal: STOP, and the collector
 *            drains and ends. Its own end: ours, and systemd starts both again.
 * Privileges CAP_PERFMON alone is kept, and a filter (service.seccomp).
 * Limits     COLLECTOR_STOP_MS from STOP to the end of the collector; then it is killed.
 */

#define COLLECTOR_STOP_MS 30000

/* @argv: HZ PROGRAM [OPTION...]. Return: exit code. */
int collector_main(char **argv);
