/* SPDX-License-Identifier: Apache-2.0 */
/* file_systems - what a file's device number is worth after the next boot */

#include "symbolizer/unwind/file_systems.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <linux/magic.h>

#include "shared/sha256.h"

#define UUID_BYTES 16

/* include/uapi/linux/fs.h of Linux 6.9 */
struct uuid_answer {
	uint8_t bytes;
	uint8_t uuid[UUID_BYTES];
};
#define GET_UUID _IOR(0x15, 0, struct uuid_answer)

uint64_t file_systems_dev(uint64_t st_dev)
{
	return (uint64_t)major(st_dev) << FILE_SYSTEMS_MAJOR_SHIFT | minor(st_dev);
}

void file_systems_init(struct file_systems *systems, const char *boot_id)
{
	uint8_t digest[TM_SHA256_BYTES];
	struct tm_sha256 sha256;

	*systems = (struct file_systems){0};
	tm_sha256_init(&sha256);
	tm_sha256_add(&sha256, boot_id, strlen(boot_id));
	tm_sha256_end(&sha256, digest);
	memcpy(&systems->boot, digest, sizeof(systems->boot));
}

/* Return: the id; 0: there is none. */
static uint64_t read_id(int fd)
{
	struct uuid_answer answer = {0};
	struct statfs status;
	uint64_t halves[2] = {0};

	if (fstatfs(fd, &status) == 0 && status.f_type == EXT4_SUPER_MAGIC)
		memcpy(&halves[0], &status.f_fsid, sizeof(halves[0]));
	else if (ioctl(fd, GET_UUID, &answer) == 0 && answer.bytes == UUID_BYTES)
		memcpy(halves, answer.uuid, UUID_BYTES);
	return halves[0] ^ halves[1];
}

void file_systems_add(struct file_systems *systems, uint64_t dev, uint64_t id)
{
	struct file_system added = {.dev = dev, .id = id};

	for (uint32_t i = 0; i < systems->count; i++) {
		if (systems->known[i].dev == dev)
			return;
		if (systems->known[i].id == id)
			added.copied = systems->known[i].copied = true;
	}
	if (systems->count < FILE_SYSTEMS_MAX)
		systems->known[systems->count++] = added;
}

void file_systems_learn(struct file_systems *systems, int fd)
{
	struct stat status;
	uint64_t id;

	if (fd < 0 || fstat(fd, &status) < 0 || !major(status.st_dev))
		return;
	id = read_id(fd);
	if (id)
		file_systems_add(systems, file_systems_dev(status.st_dev), id);
}

uint64_t file_systems_pin(const struct file_systems *systems, struct tm_identity *identity)
{
	for (uint32_t i = 0; i < systems->count; i++)
		if (systems->known[i].dev == identity->dev && !systems->known[i].copied) {
			identity->dev = 0;
			return systems->known[i].id;
		}
	return systems->boot;
}

bool file_systems_unpin(const struct file_systems *systems, uint64_t pinned,
			struct tm_identity *identity)
{
	if (identity->dev)
		return pinned == systems->boot;
	for (uint32_t i = 0; i < systems->count; i++)
		if (systems->known[i].id == pinned && !systems->known[i].copied) {
			identity->dev = systems->known[i].dev;
			return true;
		}
	return false;
}
