/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_identity - whether the file of a descriptor is in the state that the kernel announced
 */

#include "symbolizer/base/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>

#define TIMES (STATX_SIZE | STATX_MTIME | STATX_CTIME)

/* Return: whether all that is @wanted is known. */
static bool read_state(int fd, unsigned wanted, struct statx *ret_state)
{
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, wanted, ret_state) == 0 &&
	       (ret_state->stx_mask & wanted) == wanted;
}

bool file_identity_holds(const struct tm_identity *identity, int fd)
{
	struct statx state;

	return read_state(fd, TIMES, &state) && state.stx_size == identity->size &&
	       state.stx_mtime.tv_sec == identity->mtime_sec &&
	       state.stx_mtime.tv_nsec == identity->mtime_nsec &&
	       (uint64_t)state.stx_ctime.tv_sec * TM_NS_PER_SECOND + state.stx_ctime.tv_nsec ==
		       identity->ctime_ns;
}

bool file_identity_is_readable(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct statx state;

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && !(flags & O_PATH) &&
	       read_state(fd, STATX_TYPE, &state) && S_ISREG(state.stx_mode);
}

bool file_identity_is_linked(int fd)
{
	struct statx state;

	return read_state(fd, STATX_NLINK, &state) && state.stx_nlink > 0;
}
