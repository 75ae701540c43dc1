/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * err - the error law: what the sign of a returned int means
 *
 * < 0   -errno; the operation failed for good; forwarded unchanged, compared only right after the
 *       call
 * 0     done; every ret_* is written
 * > 0   a MODULE_E_NAME documented at the declaration; the caller must handle it, never forward it
 */

#include <errno.h>

/* For a caller that expects no condition. Return: -EPROTO for a positive @r, else @r. */
static inline int tm_err_fold(int r)
{
	return r > 0 ? -EPROTO : r;
}
