/* SPDX-License-Identifier: Apache-2.0 */
/* test_percpu_event - over changes of the period, hits owed and what hits stand for stay exact */

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/percpu_event.h"

#define PERIOD 1000000u

/* The kernel's side of the event: its count comes through a pipe, as often as it is read. */
struct world {
	struct percpu_event event;
	struct tm_cpu_slot slot;
	int counter;
	uint64_t count;     /* ns for which it was on */
	uint64_t period_ns; /* the kernel's */
	uint64_t left_ns;   /* until its next hit */
	uint64_t hits;
	uint64_t value; /* of them */
	bool on, refuses;
};

static struct world *world;

int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;

	assert_int_equal(fd, world->event.fd);
	if (request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE) {
		assert_int_equal(world->on, request == PERF_EVENT_IOC_DISABLE);
		world->on = !world->on;
		return 0;
	}
	assert_int_equal(request, PERF_EVENT_IOC_PERIOD);
	assert_false(world->on);
	if (world->refuses) {
		errno = EINVAL;
		return -1;
	}
	va_start(arguments, request);
	world->period_ns = world->left_ns = *va_arg(arguments, uint64_t *);
	va_end(arguments);
	return 0;
}

static int make(void **state)
{
	int ends[2];

	world = calloc(1, sizeof(*world));
	if (!world || pipe2(ends, O_NONBLOCK) < 0)
		return -1;
	world->counter = ends[1];
	world->on = true;
	world->period_ns = world->left_ns = PERIOD;
	world->event = (struct percpu_event){
		.fd = ends[0], .slot = &world->slot, .first_ns = PERIOD, .period_ns = PERIOD};
	return 0;
}

static int unmake(void **state)
{
	(void)close(world->event.fd);
	(void)close(world->counter);
	free(world);
	return 0;
}

/* What the BPF program does (sample_value). */
static void hit(void)
{
	struct tm_cpu_slot *slot = &world->slot;
	uint64_t value = slot->next_ns ? slot->next_ns : slot->weight_ns;

	world->hits++;
	world->value += value ? value : PERIOD;
	slot->next_ns = 0;
}

static void pass(uint64_t ns)
{
	world->count += ns;
	for (; ns >= world->left_ns; world->left_ns = world->period_ns) {
		ns -= world->left_ns;
		hit();
	}
	world->left_ns -= ns;
}

/* In place of one that was not read. */
static void show_count(void)
{
	uint64_t old;

	(void)!read(world->event.fd, &old, sizeof(old));
	assert_int_equal(write(world->counter, &world->count, sizeof(world->count)),
			 sizeof(world->count));
}

static int set_shift(unsigned shift)
{
	show_count();
	return percpu_event_set_shift(&world->event, shift, /* on= */ true);
}

static uint64_t owed(void)
{
	show_count();
	return percpu_event_owed(&world->event);
}

static void hits_owed_are_those_of_each_period(void **state)
{
	static const struct {
		unsigned shift;
		uint64_t ns;
	} steps[] = {
		{0, 7 * PERIOD - 1}, {3, 8 * PERIOD},        {1, PERIOD + 1}, {0, 3},
		{10, PERIOD},        {10, 2000ull * PERIOD}, {0, PERIOD},     {4, 100 * PERIOD}};

	for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		assert_int_equal(set_shift(steps[i].shift), 0);
		assert_int_equal(world->period_ns, PERIOD << steps[i].shift);
		assert_true(world->on);
		pass(steps[i].ns);
		assert_int_equal(owed(), world->hits);
	}
}

static void values_of_all_hits_are_the_time_that_has_passed(void **state)
{
	srand(7);
	for (unsigned i = 0; i < 10000; i++) {
		/* A hit comes in between: more than one rest can be carried, but not any number. */
		assert_int_equal(set_shift((unsigned)rand() % 8), 0);
		pass((unsigned)rand() % (300 * PERIOD));
		assert_int_equal(owed(), world->hits);
	}
	assert_true(world->value <= world->count);
	/* What is left: the period that has not ended, and rests that no hit has carried yet. */
	pass(world->left_ns);
	assert_int_equal(world->value, world->count);
}

static void rest_that_no_hit_carried_is_carried_by_a_later_one(void **state)
{
	pass(PERIOD / 4);
	assert_int_equal(set_shift(2), 0);
	pass(PERIOD);
	assert_int_equal(set_shift(1), 0);
	assert_int_equal(world->slot.next_ns, 2 * PERIOD + PERIOD + PERIOD / 4);
	pass(2 * PERIOD);
	assert_int_equal(world->hits, 1);
	assert_int_equal(world->value, world->count);
	assert_int_equal(world->slot.weight_ns, 2 * PERIOD);
}

static void what_is_carried_has_a_limit(void **state)
{
	for (unsigned i = 0; i < 100; i++) {
		pass(world->left_ns - 1);
		assert_int_equal(set_shift(i % 2 ? 10 : 9), 0);
	}
	assert_int_equal(world->hits, 0);
	assert_int_equal(world->slot.next_ns, ((uint64_t)PERIOD << 10) + PERCPU_EVENT_CARRIED_MAX);
	assert_true(world->slot.next_ns <= TM_ON_CPU_VALUE_MAX);
}

static void refused_period_changes_nothing_and_the_event_goes_on(void **state)
{
	pass(5 * PERIOD + 1);
	world->refuses = true;
	assert_int_equal(set_shift(3), -EINVAL);
	assert_true(world->on);
	assert_int_equal(world->slot.next_ns, 0);
	assert_int_equal(world->slot.weight_ns, 0);
	pass(5 * PERIOD);
	assert_int_equal(owed(), 10);
}

static void count_that_cannot_be_read_owes_what_was_owed(void **state)
{
	pass(5 * PERIOD);
	assert_int_equal(owed(), 5);
	assert_int_equal(write(world->counter, "four", 4), 4);
	assert_int_equal(percpu_event_set_shift(&world->event, 2, /* on= */ true), 0);
	assert_int_equal(percpu_event_owed(&world->event), 5);
}

static void adopted_event_owes_what_comes_after_it_was_taken_over(void **state)
{
	pass(5 * PERIOD + PERIOD / 4);
	assert_int_equal(set_shift(2), 0);
	pass(4 * PERIOD + 1);
	show_count();
	world->event = (struct percpu_event){.fd = world->event.fd,
					     .slot = &world->slot,
					     .first_ns = PERIOD,
					     .period_ns = PERIOD};
	percpu_event_adopt(&world->event);
	assert_int_equal(world->event.period_ns, 4 * PERIOD);
	assert_int_equal(owed(), 0);
	pass(4 * PERIOD);
	assert_int_equal(owed(), 1);
}

static void event_counts_if_its_count_grows(void **state)
{
	const uint64_t counts[] = {3, 4, 4, 4};

	assert_false(percpu_event_counts(world->event.fd)); /* it cannot be read */
	assert_int_equal(write(world->counter, counts, sizeof(counts)), sizeof(counts));
	assert_true(percpu_event_counts(world->event.fd));
	assert_false(percpu_event_counts(world->event.fd));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(hits_owed_are_those_of_each_period),
		CASE(values_of_all_hits_are_the_time_that_has_passed),
		CASE(rest_that_no_hit_carried_is_carried_by_a_later_one),
		CASE(what_is_carried_has_a_limit),
		CASE(refused_period_changes_nothing_and_the_event_goes_on),
		CASE(count_that_cannot_be_read_owes_what_was_owed),
		CASE(adopted_event_owes_what_comes_after_it_was_taken_over),
		CASE(event_counts_if_its_count_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
