/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * err - the error law of the tree
 *
 * < 0   -errno; the operation failed for good; forwarded unchanged, compared only right after a call
 * 0     done; every ret_* is written
 * > 0   a MODULE_E_NAME documented at the declaration; the caller must handle it, never forward it
 *
 * tm_err_origin(-errno) where an error is born, tm_err_fold(r) where a positive code was not
 * expected (becomes -EPROTO). The hook is set by main; tests set none. Shared code never prints.
 */

typedef void (*tm_err_hook_fn)(const char *file, int line, const char *function, int error);

/* Set once, before threads. NULL: silent. */
void tm_err_set_hook(tm_err_hook_fn hook);
int tm_err_note(const char *file, int line, const char *function, int error);

#define tm_err_origin(error) tm_err_note(__FILE__, __LINE__, __func__, (error))
#define tm_err_fold(r)                                                         \
	({                                                                     \
		int tm_folded_ = (r); /* once: it may be a call */             \
		tm_folded_ > 0 ? tm_err_origin(-71 /* EPROTO */) : tm_folded_; \
	})
