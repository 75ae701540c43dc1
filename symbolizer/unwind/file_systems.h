/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_systems - what a file's device number is worth after the next boot
 *
 * Shape      identities have the number of a device, which may be another file system's after a
 *            boot. Of those that are known by an id of their own, the id stands in its place; of
 *            others, a number of this boot stands beside it.
 * Known      are those of the descriptors that were given, if they are on a block device: not
 *            overlay, btrfs, nfs.
 * Id         the halves of the UUID, one xor the other. ext2 to ext4 make their f_fsid of it so
 *            (uuid_to_fsid in fs/ext4/super.c); of others FS_IOC_GETFSUUID says it, from Linux 6.9
 *            on and not to the service, whose unit denies ioctl. Two file systems with one id are
 *            not known: one is a copy.
 * Limits     FILE_SYSTEMS_MAX; of further ones files are known for one boot.
 * Threads    written before there are other threads.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/event.h"

#define FILE_SYSTEMS_MAX         8u
#define FILE_SYSTEMS_MAJOR_SHIFT 20 /* of tm_identity.dev */

struct file_systems {
	uint64_t boot;
	uint32_t count;
	struct file_system {
		uint64_t dev; /* as tm_identity.dev */
		uint64_t id;
		bool copied; /* another one has the same id */
	} known[FILE_SYSTEMS_MAX];
};

void file_systems_init(struct file_systems *systems, const char *boot_id);
/* @fd: on the file system; may be -1. */
void file_systems_learn(struct file_systems *systems, int fd);
/* Adds one with this id. */
void file_systems_add(struct file_systems *systems, uint64_t dev, uint64_t id);
/* Device number as in tm_identity. */
uint64_t file_systems_dev(uint64_t st_dev);
/* Return: what stands for the file system; @identity->dev is 0 then, if it outlives the boot. */
uint64_t file_systems_pin(const struct file_systems *systems, struct tm_identity *identity);
/* The reverse. Return: false: no such file system is known in this boot. */
bool file_systems_unpin(const struct file_systems *systems, uint64_t pinned,
			struct tm_identity *identity);
