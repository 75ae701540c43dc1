/* SPDX-License-Identifier: Apache-2.0 */
/* test_warm_start - what the cache has goes to the collector before the first sample, in the order
 * of its last use */

#include "tests/unit/symbolizer/table_cache_fixture.h"

#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/wire.h"
#include "symbolizer/unwind/warm_start.h"

#define DISK (8u << 20)
#define NOW  1000

static struct warm_start warm;
static int collector;

static int begin_warm(void **state)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	collector = pair[0];
	(void)begin(state);
	warm_start_init(&warm, &cache, pair[1]);
	return 0;
}

static int end_warm(void **state)
{
	warm_start_deinit(&warm);
	(void)close(warm.wire);
	(void)close(collector);
	return end(state);
}

static void keep(uint64_t dev, uint64_t ino, uint32_t start)
{
	struct tm_identity identity = identity_of(ino);
	const struct table table = table_at(start);
	struct tm_region rows = sealed(&table, sizeof(table));
	struct table_cache_key key;

	identity.dev = dev;
	key = table_cache_key(&cache, TABLE_CACHE_UNWIND, &identity);
	table_cache_add(&cache, &key, &rows);
	write_all();
}

/* Return: inode of the next table that the collector gets; 0: no other one comes; -1: nothing. */
static int next_inode_on(uint64_t *ret_dev)
{
	_cleanup_(tm_closep) int fd = -1;
	struct tm_identity identity;
	struct tm_wire message;

	if (tm_fdpass_recv(collector, &message, sizeof(message), &fd, MSG_DONTWAIT))
		return -1;
	assert_int_equal(message.kind, TM_WIRE_AHEAD);
	assert_int_equal(message.text_bytes, fd >= 0 ? sizeof(identity) : 0);
	if (fd < 0)
		return 0;
	memcpy(&identity, message.text, sizeof(identity));
	*ret_dev = identity.dev;
	return (int)identity.ino;
}

static int next_inode(void)
{
	uint64_t dev;

	return next_inode_on(&dev);
}

/* What another thread does in the program goes on in turn. */
static void run(uint64_t now_ms)
{
	do
		warm_start_round(&warm, false, now_ms);
	while (table_cache_read_next(&cache));
}

static void last_used_is_sent_first(void **state)
{
	struct table_cache_key key = key_of(2);

	key.identity.dev = DISK;
	keep(DISK, 1, 10);
	keep(DISK, 2, 20);
	keep(DISK, 3, 30);
	open_again(); /* another session, in which that is used: */
	assert_int_equal(found_of(&key), 20);
	run(NOW);
	assert_int_equal(next_inode(), 2);
	assert_int_equal(next_inode(), 3);
	assert_int_equal(next_inode(), 1);
	assert_int_equal(next_inode(), 0);
	run(NOW);
	assert_int_equal(next_inode(), -1);
	assert_int_equal(cache.entries[0].used + 1, cache.session); /* it is no use */
}

/* Another boot, in which the file system with this id is on that device; 0: on none. */
static void boot_again(uint64_t dev, uint64_t id)
{
	open_again();
	file_systems_init(&cache.systems, "another boot");
	if (dev)
		file_systems_add(&cache.systems, dev, id);
}

static void files_of_a_known_file_system_outlive_a_boot(void **state)
{
	uint64_t dev = 0;

	file_systems_init(&cache.systems, "a boot");
	file_systems_add(&cache.systems, DISK, 77);
	keep(DISK, 1, 10);
	keep(DISK + 1, 2, 20);
	boot_again(DISK + 5, 77);
	run(NOW);
	assert_int_equal(next_inode_on(&dev), 1);
	assert_int_equal(dev, DISK + 5);
	assert_int_equal(next_inode(), 0);
}

static void nothing_of_another_file_system_is_sent_after_a_boot(void **state)
{
	file_systems_init(&cache.systems, "a boot");
	file_systems_add(&cache.systems, DISK, 77);
	keep(DISK, 1, 10);
	boot_again(DISK, 78);
	run(NOW);
	assert_int_equal(next_inode(), 0);
}

static void device_of_major_number_0_is_left_out(void **state)
{
	keep((1u << 20) - 1, 1, 10);
	keep(DISK, 2, 20);
	run(NOW);
	assert_int_equal(next_inode(), 2);
	assert_int_equal(next_inode(), 0);
}

static void without_a_cache_it_ends_at_once(void **state)
{
	table_cache_close(&cache);
	run(NOW);
	assert_int_equal(next_inode(), 0);
}

static void disk_that_hangs_delays_the_first_sample_for_a_bounded_time(void **state)
{
	keep(DISK, 1, 10);
	warm_start_round(&warm, false, NOW);
	warm_start_round(&warm, false, NOW + WARM_START_MS - 1);
	assert_int_equal(next_inode(), -1);
	warm_start_round(&warm, false, NOW + WARM_START_MS);
	assert_int_equal(next_inode(), 0);
	assert_false(table_cache_read_next(&cache)); /* nobody waits for it */
}

static void unread_index_delays_it_likewise(void **state)
{
	cache.start = TABLE_CACHE_UNREAD;
	warm_start_round(&warm, false, NOW);
	assert_int_equal(next_inode(), -1);
	warm_start_round(&warm, false, NOW + WARM_START_MS);
	assert_int_equal(next_inode(), 0);
}

static void nothing_is_sent_where_sampling_has_begun(void **state)
{
	keep(DISK, 1, 10);
	warm_start_round(&warm, true, NOW);
	run(NOW);
	assert_int_equal(next_inode(), -1);
	assert_false(warm_start_must_send(&warm));
}

static void full_socket_loses_nothing(void **state)
{
	const int small = 1;
	int got = 0, inode;

	(void)setsockopt(warm.wire, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	for (uint64_t ino = 1; ino <= 40; ino++)
		keep(DISK, ino, 10);
	run(NOW);
	assert_true(warm_start_must_send(&warm));
	while ((inode = next_inode()) != 0) {
		got += inode > 0;
		run(NOW);
	}
	assert_int_equal(got, 40);
	assert_false(warm_start_must_send(&warm));
}

#define WARM(name) cmocka_unit_test_setup_teardown(name, begin_warm, end_warm)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WARM(last_used_is_sent_first),
		WARM(files_of_a_known_file_system_outlive_a_boot),
		WARM(nothing_of_another_file_system_is_sent_after_a_boot),
		WARM(device_of_major_number_0_is_left_out),
		WARM(without_a_cache_it_ends_at_once),
		WARM(disk_that_hangs_delays_the_first_sample_for_a_bounded_time),
		WARM(unread_index_delays_it_likewise),
		WARM(nothing_is_sent_where_sampling_has_begun),
		WARM(full_socket_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
