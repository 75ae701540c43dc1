/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_queue - the order of bodies, the bounds, and what is taken out, beside a plain array
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "symbolizer/exporter/queue.h"

static struct queue queue;

static void push(uint64_t id, size_t count)
{
	const struct body body = {.id = id, .bytes = malloc(count), .count = count};

	assert_non_null(body.bytes);
	queue_push(&queue, &body);
}

static uint64_t take(bool behind_first)
{
	struct body body;

	if (!queue_take(&queue, behind_first, &body))
		return 0;
	free(body.bytes);
	return body.id;
}

static int empty(void **state)
{
	queue = (struct queue){.bytes_max = 100};
	return 0;
}

static int deinit(void **state)
{
	queue_deinit(&queue);
	assert_int_equal(queue.bytes, 0);
	return 0;
}

static void what_fits_is_counted_in_bytes(void **state)
{
	assert_true(queue_fits(&queue, 100));
	assert_false(queue_fits(&queue, 101));
	assert_false(queue_fits(&queue, SIZE_MAX));
	push(1, 60);
	assert_true(queue_fits(&queue, 40));
	assert_false(queue_fits(&queue, 41));
	assert_int_equal(take(false), 1);
	assert_true(queue_fits(&queue, 100));
}

static void what_fits_is_counted_in_bodies(void **state)
{
	queue.bytes_max = 1 << 20;
	for (unsigned i = 0; i < EXPORTER_BODIES_MAX; i++) {
		assert_true(queue_fits(&queue, 1));
		push(i + 1, 1);
	}
	assert_false(queue_fits(&queue, 1));
}

static void the_body_under_way_stays_first(void **state)
{
	assert_null(queue_first(&queue));
	assert_int_equal(take(true), 0);
	push(1, 1);
	assert_int_equal(take(true), 0);
	push(2, 1);
	push(3, 1);
	assert_int_equal(take(true), 2);
	assert_int_equal(queue_first(&queue)->id, 1);
	assert_int_equal(take(true), 3);
	assert_int_equal(take(false), 1);
	assert_int_equal(take(false), 0);
}

static void a_body_that_is_put_behind_keeps_its_bytes(void **state)
{
	queue_rotate(&queue);
	push(1, 30);
	push(2, 40);
	queue_first(&queue)->attempts = 7;
	queue_rotate(&queue);
	assert_int_equal(queue.bytes, 70);
	assert_int_equal(take(false), 2);
	assert_int_equal(queue_first(&queue)->attempts, 7);
	assert_int_equal(take(false), 1);
}

static void remove_at(uint64_t *ids, unsigned *count, unsigned at)
{
	memmove(ids + at, ids + at + 1, (--*count - at) * sizeof(*ids));
}

static void a_million_random_steps_are_those_of_an_array(void **state)
{
	const char *given = getenv("TM_SEED");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
	uint64_t ids[EXPORTER_BODIES_MAX], next = 1;
	unsigned count = 0;

	print_message("TM_SEED=%u\n", seed);
	queue.bytes_max = UINT64_MAX;
	srandom(seed);
	for (unsigned i = 0; i < 1000000; i++) {
		unsigned step = (unsigned)random() % 8, at = step == 5 ? 1 : 0;

		assert_int_equal(queue.count, count);
		if (count > 0)
			assert_int_equal(queue_first(&queue)->id, ids[0]);
		if (step < 4 && count < EXPORTER_BODIES_MAX) {
			ids[count++] = next;
			push(next++, 1);
		} else if (step < 6) {
			assert_int_equal(take(at), count > at ? ids[at] : 0);
			if (count > at)
				remove_at(ids, &count, at);
		} else if (step == 6 && count > 0) {
			uint64_t first = ids[0];

			queue_rotate(&queue);
			remove_at(ids, &count, 0);
			ids[count++] = first;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_fits_is_counted_in_bytes, empty, deinit),
		cmocka_unit_test_setup_teardown(what_fits_is_counted_in_bodies, empty, deinit),
		cmocka_unit_test_setup_teardown(the_body_under_way_stays_first, empty, deinit),
		cmocka_unit_test_setup_teardown(a_body_that_is_put_behind_keeps_its_bytes, empty,
						deinit),
		cmocka_unit_test_setup_teardown(a_million_random_steps_are_those_of_an_array, empty,
						deinit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
