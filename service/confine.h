/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * confine - drops every capability but CAP_PERFMON, and installs the filter service.seccomp
 *
 * Call it once the collector is started. Return: 0, -errno.
 */
int confine(void);
