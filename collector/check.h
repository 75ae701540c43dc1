/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * check - whether a private copy of a record from the BPF rings is one of shared/event.h
 *
 * Trust      our own BPF programs wrote it, which is no reason to believe a length.
 */

#include <stdint.h>

/* @record: 8-aligned, @bytes long. Return: 0, -EBADMSG. */
int check_event(const void *record, uint32_t bytes);
