/* SPDX-License-Identifier: Apache-2.0 */
/* report_shares - whose samples of a report have a share of the spool of their own */

#include "symbolizer/output/report_shares.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "symbolizer/base/hash.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/report_bytes.h"
#include "symbolizer/profile/owner.h"

#define LARGE_PART 4u /* who brings less than this part of the limit has no share of his own */

struct owner {                 /* in a report */
	uint32_t first, count; /* of the processes by owner */
	uint64_t bytes;
	bool one_user;
	uint32_t uid; /* if one_user */
};

struct dividing {
	const struct report *report;
	uint64_t limit;
	uint64_t *bytes; /* of each process */
	uint32_t *order; /* the processes by owner, then user */
};

static void dividing_deinit(struct dividing *dividing)
{
	free(dividing->bytes);
	free(dividing->order);
}

/* --- owners ----------------------------------------------------------------------------------- */

static uint64_t key_of(const struct report *report, uint32_t process)
{
	return owner_key(report->processes[process].owner, report->processes[process].euid);
}

static int compare_processes(uint32_t a, uint32_t b, const void *context)
{
	const struct report *report = context;
	const int order = sort_by_number(key_of(report, a), key_of(report, b));

	return order != 0 ? order
			  : sort_by_number(report->processes[a].euid, report->processes[b].euid);
}

/* One user's processes, who has nearly all of the owner's bytes, are the owner. */
static void find_user(const struct dividing *dividing, struct owner *owner)
{
	const struct report_process *processes = dividing->report->processes;
	uint64_t most = 0, sum = 0;

	for (uint32_t i = owner->first; i < owner->first + owner->count; i++) {
		const uint32_t process = dividing->order[i];
		const uint32_t uid = processes[process].euid;

		if (i == owner->first || processes[dividing->order[i - 1]].euid != uid)
			sum = 0;
		sum += dividing->bytes[process];
		if (sum > most) {
			most = sum;
			owner->uid = uid;
		}
	}
	owner->one_user = owner->bytes - most < dividing->limit / LARGE_PART;
	if (owner->one_user)
		owner->bytes = most;
}

/* The owner whose first process is order[@first]. */
static struct owner find_owner(const struct dividing *dividing, uint32_t first)
{
	const struct report *report = dividing->report;
	struct owner owner = {.first = first};
	uint32_t i = first;

	do
		owner.bytes += dividing->bytes[dividing->order[i++]];
	while (i < report->process_count &&
	       key_of(report, dividing->order[i]) == key_of(report, dividing->order[first]));
	owner.count = i - first;
	find_user(dividing, &owner);
	return owner;
}

/* The owners with most bytes, the largest first. Return: how many. */
static unsigned find_largest(const struct dividing *dividing, struct owner *largest, unsigned most)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < dividing->report->process_count;) {
		const struct owner owner = find_owner(dividing, i);
		unsigned at = count < most ? count++ : most;

		for (; at > 0 && largest[at - 1].bytes < owner.bytes; at--)
			if (at < most)
				largest[at] = largest[at - 1];
		if (at < most)
			largest[at] = owner;
		i += owner.count;
	}
	return count;
}

/* --- shares ----------------------------------------------------------------------------------- */

/* Return: the share in which the search for a free one begins, the same after each start. */
static unsigned usual_share(const char *name)
{
	static const struct hash_seed same = {{0}};

	return hash_bytes(&same, name, strlen(name)) % REPORT_SHARES_OWN;
}

static bool is_free(const struct report_shares_owner *owner, uint64_t now_ns)
{
	return owner->needed_ns == 0 || now_ns > owner->needed_ns + REPORT_SHARES_KEEP_NS;
}

/* @process: one of an owner's. */
static unsigned share_of(struct report_shares *shares, const struct report *report,
			 uint32_t process, uint64_t now_ns)
{
	const struct report_process *of = &report->processes[process];
	struct report_shares_owner named = {.root = of->euid == 0, .needed_ns = now_ns};
	const unsigned usual = usual_share(report->strings[of->owner]);
	struct report_shares_owner *found = NULL;

	(void)memccpy(named.cgroup, report->strings[of->owner], '\0', sizeof(named.cgroup) - 1);
	for (unsigned i = 0; i < REPORT_SHARES_OWN; i++) {
		struct report_shares_owner *owner =
			&shares->owners[(usual + i) % REPORT_SHARES_OWN];

		if (owner->needed_ns != 0 && owner->root == named.root &&
		    strcmp(owner->cgroup, named.cgroup) == 0) {
			found = owner;
			break;
		}
		if (!found && is_free(owner, now_ns))
			found = owner;
	}
	if (!found)
		return REPORT_SHARES_LATER;
	*found = named;
	return 1 + (unsigned)(found - shares->owners);
}

static void give(const struct dividing *dividing, const struct owner *owner, unsigned share,
		 uint8_t *ret_shares)
{
	for (uint32_t i = owner->first; i < owner->first + owner->count; i++) {
		const uint32_t process = dividing->order[i];

		if (!owner->one_user || dividing->report->processes[process].euid == owner->uid)
			ret_shares[process] = (uint8_t)share;
	}
}

static void divide(struct report_shares *shares, const struct dividing *dividing, uint64_t left,
		   uint64_t now_ns, uint8_t *ret_shares)
{
	struct owner largest[REPORT_SHARES_OWN];
	const unsigned count = find_largest(dividing, largest, REPORT_SHARES_OWN);

	for (unsigned i = 0; i < count && left > dividing->limit / 2; i++) {
		const struct owner *owner = &largest[i];
		const uint32_t process = dividing->order[owner->first];

		if (owner->bytes < dividing->limit / LARGE_PART)
			return;
		give(dividing, owner, share_of(shares, dividing->report, process, now_ns),
		     ret_shares);
		left -= owner->bytes;
	}
}

static uint64_t sum_of(const struct dividing *dividing)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < dividing->report->process_count; i++)
		sum += dividing->bytes[i];
	return sum;
}

/* For a report that is made less often. */
static uint64_t limit_of(const struct report *report)
{
	const uint64_t times = report->duration_ns / REPORT_SHARES_TIME_NS;

	return REPORT_SHARES_BYTES * (times > 1 ? times : 1);
}

int report_shares_give(struct report_shares *shares, const struct report *report, uint64_t now_ns,
		       uint8_t **ret_shares)
{
	_cleanup_(dividing_deinit) struct dividing dividing = {
		.report = report,
		.limit = limit_of(report),
		.bytes = calloc(report->process_count + 1u, sizeof(*dividing.bytes)),
	};
	uint64_t sum;

	*ret_shares = NULL;
	if (!dividing.bytes || report_bytes_of_processes(report, dividing.bytes) < 0)
		return -ENOMEM;
	sum = sum_of(&dividing);
	if (sum <= dividing.limit)
		return 0;
	dividing.order = sort_new(report->process_count, compare_processes, report);
	*ret_shares = calloc(report->process_count + 1u, 1);
	if (!dividing.order || !*ret_shares) {
		free(TM_TAKE_PTR(*ret_shares));
		return -ENOMEM;
	}
	divide(shares, &dividing, sum, now_ns, *ret_shares);
	return 0;
}
