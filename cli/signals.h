/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * signals - the signals that the command waits for, and those that its children start with
 *
 * SIGINT, SIGTERM and (unless the caller ignores it, as nohup does) SIGHUP arrive at a descriptor;
 * SIGPIPE is ignored, so that a closed terminal or pipe loses a line and not the recording;
 * SIGCHLD is not ignored, so that a child's end can be waited for.
 */

/* Once, before any child. Return: descriptor or -errno. */
int signals_open(void);
/* The next waiting signal's number. Return: > 0, 0 (none), -errno. */
int signals_read(int fd);
/* In a child that becomes one of our programs: all default, none blocked.
 * Return: 0, -1 with errno. */
int signals_reset(void);
/* In the child that becomes COMMAND: as the caller had them. Return: 0, -1 with errno. */
int signals_restore(void);
