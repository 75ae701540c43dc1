/* SPDX-License-Identifier: Apache-2.0 */
/* service_reported - what was reported so far, in systemd's store, for the next symbolizer */

#include "symbolizer/service_reported.h"

#include "shared/cleanup.h"

static const char *const names[SERVICE_REPORTED_PLACES] = {"reported-0", "reported-1"};

void service_reported_open(struct service_reported *store, struct tm_service *manager)
{
	for (unsigned i = 0; i < SERVICE_REPORTED_PLACES; i++)
		store->kept[i] = tm_service_take(manager, names[i]);
	store->place = 0;
}

bool service_reported_take(struct service_reported *store, uint64_t generation,
			   struct reported *ret_reported)
{
	bool found = false;

	for (unsigned i = 0; i < SERVICE_REPORTED_PLACES; i++) {
		_cleanup_(tm_closep) int fd = TM_TAKE_FD(store->kept[i]);
		struct reported reported;

		if (fd < 0 || reported_read(fd, &reported) < 0 ||
		    reported.generation != generation ||
		    (found && reported.until_ktime < ret_reported->until_ktime))
			continue;
		*ret_reported = reported;
		store->place = (i + 1) % SERVICE_REPORTED_PLACES;
		found = true;
	}
	return found;
}

void service_reported_keep(struct service_reported *store, const struct tm_service *manager,
			   int blob)
{
	tm_service_unstore(manager, names[store->place]);
	(void)tm_service_store(manager, names[store->place], &blob, 1);
	store->place = (store->place + 1) % SERVICE_REPORTED_PLACES;
}
