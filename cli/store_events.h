/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * store_events - `tidemark store-events`: opens the perf events of the service while it is root
 *
 * Runs as ExecStartPre=+ of tidemark-collector.service. The descriptors go to systemd's store, from
 * where the collector gets them, which has no right to open them where
 * kernel.perf_event_paranoid is above 2. Each is stored under perf-CPU-START; START, in ms of
 * CLOCK_MONOTONIC, tells the events of this start from those of earlier ones.
 */

int store_events_main(int argc, char *const argv[]);
