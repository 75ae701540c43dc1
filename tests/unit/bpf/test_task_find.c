/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_task_find - the task of a number is found in its PID namespace's tree, or none is
 */

#include <string.h>

#include <bpf/bpf_helpers.h>

#include "bpf/kernel_types.h"
#include "shared/bpf_state.h"
#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled.h"

#define NODES       16
#define SLOT_BITS   6
#define SLOTS       (1u << SLOT_BITS)
#define NODE        2 /* added to a node's address */
#define INTERNAL(n) ((void *)(uintptr_t)((n) << 2 | 2))
#define RETRY       INTERNAL(256u)
#define ZERO        INTERNAL(257u)

static struct pid_namespace namespace, other_namespace;
static struct xa_node nodes[NODES];
static unsigned node_count;
static struct {
	struct pid pid;
	struct upid inner;
} pid;
static struct task_struct task;

static int make(void **state)
{
	memset(&namespace, 0, sizeof(namespace));
	memset(nodes, 0, sizeof(nodes));
	memset(&task, 0, sizeof(task));
	memset(&pid, 0, sizeof(pid));
	node_count = 0;
	own_level = 0;
	own_namespace = (uintptr_t) & namespace;
	pid.pid.tasks[0].first = task.pid_links;
	task.thread_pid = &pid.pid;
	return sampled_make(state);
}

static struct xa_node *node_of(void *entry)
{
	return (struct xa_node *)(void *)((char *)entry - NODE);
}

/* Puts an entry for the index into a tree of so many levels. */
static void put(unsigned levels, uint32_t index, void *entry)
{
	void **at = &namespace.idr.idr_rt.xa_head;

	while (levels-- > 0) {
		if (!*at) {
			assert_true(node_count < NODES);
			nodes[node_count].shift = (unsigned char)(levels * SLOT_BITS);
			*at = (char *)&nodes[node_count++] + NODE;
		}
		at = &node_of(*at)->slots[index >> node_of(*at)->shift & (SLOTS - 1)];
	}
	*at = entry;
}

/* The task has the number, in a tree of so many levels. */
static void number(unsigned levels, uint32_t value)
{
	pid.pid.numbers[0] = (struct upid){(int)value, &namespace};
	put(levels, value, &pid);
}

static void expect_found(uint32_t value)
{
	assert_int_equal(task_find(value), (uintptr_t)&task);
}

static void task_is_found_in_trees_of_any_depth(void **state)
{
	static const uint32_t values[] = {1,    SLOTS - 1, SLOTS,   4095,
					  4096, 262143,    4194303, 1 << 30};
	static const unsigned levels[] = {1, 1, 2, 2, 3, 3, 4, 6};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		(void)make(state);
		number(levels[i], values[i]);
		expect_found(values[i]);
		assert_int_equal(task_find(values[i] - 1), 0);
		assert_int_equal(task_find(values[i] + 1), 0);
	}
}

static void tree_may_begin_with_a_number_above_0(void **state)
{
	namespace.idr.idr_base = 300;
	number(1, 310);
	assert_int_equal(task_find(310), 0);
	put(1, 10, &pid);
	expect_found(310);
	namespace.idr.idr_rt.xa_head = &pid; /* the only entry needs no node */
	namespace.idr.idr_base = 310;
	expect_found(310);
	assert_int_equal(task_find(311), 0);
}

static void number_that_the_tree_has_no_room_for_is_not_another_one(void **state)
{
	number(1, 5);
	assert_int_equal(task_find(5 + SLOTS), 0);
	(void)make(state);
	number(2, 5);
	assert_int_equal(task_find(5 + SLOTS * SLOTS), 0);
}

static void marks_of_the_tree_are_no_task(void **state)
{
	void *const marks[] = {NULL, INTERNAL(0u), INTERNAL(3u), INTERNAL(62u), RETRY, ZERO};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		put(2, 100, marks[i]);
		assert_int_equal(task_find(100), 0);
		put(0, 0, marks[i]);
		assert_int_equal(task_find(100), 0);
		put(0, 0, NULL);
		node_count = 0;
	}
}

static void tree_without_an_end_is_left(void **state)
{
	put(1, 5, NULL);
	put(1, 5, (char *)&nodes[0] + NODE);
	assert_int_equal(task_find(5), 0);
	assert_true(bpf_host_kernel_reads() < 30);
}

static void number_of_another_namespace_is_not_meant(void **state)
{
	number(1, 5);
	pid.pid.numbers[0].ns = &other_namespace;
	assert_int_equal(task_find(5), 0);
	pid.pid.level = own_level = 1;
	pid.inner = (struct upid){7, &namespace};
	put(1, 7, &pid);
	expect_found(7);
	assert_int_equal(task_find(5), 0);
	pid.pid.level = 0; /* of a task that the namespace does not hold */
	assert_int_equal(task_find(7), 0);
	own_namespace = 0;
	assert_int_equal(task_find(7), 0);
}

static void number_0_is_nobodys(void **state)
{
	assert_int_equal(task_find(0), 0);
	number(1, 0);
	assert_int_equal(task_find(0), 0);
}

static void number_that_its_task_has_no_longer_is_nobodys(void **state)
{
	static struct pid another;

	number(1, 5);
	task.thread_pid = &another;
	assert_int_equal(task_find(5), 0);
	task.thread_pid = NULL;
	assert_int_equal(task_find(5), 0);
	task.thread_pid = &pid.pid;
	pid.pid.tasks[0].first = NULL;
	assert_int_equal(task_find(5), 0);
}

/* --- check_mapping ---------------------------------------------------------------------------- */

static unsigned moments; /* readings of kernel memory until the task loses its mm; 0: it has */

static void lose_mm(void)
{
	if (moments && !--moments)
		task.mm = NULL;
}

/* The task has the sampled process's memory. Return: enum tm_check_status of its file. */
static int check(uint32_t value)
{
	uint64_t arguments[] = {value, SAMPLED_CODE, 0};

	return check_mapping((void *)arguments);
}

static void make_mapped(void)
{
	uint32_t found;

	(void)sampled_once();
	check_identity = bpf_maps_file(0, &found)->identity;
	task.mm = ((const struct task_struct *)(uintptr_t)bpf_get_current_task())->mm;
	number(1, 5);
}

static void file_of_the_thread_that_has_the_number_is_compared(void **state)
{
	make_mapped();
	assert_int_equal(check(5), TM_CHECK_SAME);
	check_identity.ino++;
	assert_int_equal(check(5), TM_CHECK_OTHER);
	assert_int_equal(check(6), TM_CHECK_UNANSWERED);
}

/* Its memory may be another's then. */
static void thread_that_ends_meanwhile_has_no_file(void **state)
{
	unsigned before, readings;

	make_mapped();
	before = bpf_host_kernel_reads();
	assert_int_equal(check(5), TM_CHECK_SAME);
	readings = bpf_host_kernel_reads() - before;
	bpf_host_after_kernel_read(lose_mm);
	for (unsigned i = 1; i < readings; i++) {
		make_mapped();
		moments = i;
		assert_int_not_equal(check(5), TM_CHECK_SAME);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, make)
	const struct CMUnitTest tests[] = {
		TEST(task_is_found_in_trees_of_any_depth),
		TEST(tree_may_begin_with_a_number_above_0),
		TEST(number_that_the_tree_has_no_room_for_is_not_another_one),
		TEST(marks_of_the_tree_are_no_task),
		TEST(tree_without_an_end_is_left),
		TEST(number_of_another_namespace_is_not_meant),
		TEST(number_0_is_nobodys),
		TEST(number_that_its_task_has_no_longer_is_nobodys),
		TEST(file_of_the_thread_that_has_the_number_is_compared),
		TEST(thread_that_ends_meanwhile_has_no_file),
	};

	return SAMPLED_RUN(tests);
}
