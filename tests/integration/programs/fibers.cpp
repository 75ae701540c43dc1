// SPDX-License-Identifier: Apache-2.0
// fibers - coroutines of Boost.Context, each deep in a recursion of its own: fibers SECONDS
#include <boost/context/fiber.hpp>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "spin.h"

namespace
{
constexpr int FIBERS = 8;
constexpr unsigned STEPS = 100000; // some 100 us

bool is_over;

__attribute__((noinline)) unsigned descend(boost::context::fiber &caller, unsigned depth)
{
	if (depth)
		return descend(caller, depth - 1) + 1;
	while (!is_over) {
		spin_steps(STEPS);
		caller = std::move(caller).resume();
	}
	return 0;
}
} // namespace

int main(int argc, char **argv)
{
	const std::time_t end = std::time(nullptr) + (argc > 1 ? std::atol(argv[1]) : 1);
	boost::context::fiber fibers[FIBERS];

	for (unsigned i = 0; i < FIBERS; i++)
		fibers[i] = boost::context::fiber([i](boost::context::fiber &&caller) {
			(void)descend(caller, 4 * i);
			return std::move(caller);
		});
	while (!is_over) {
		is_over = std::time(nullptr) >= end;
		spin_steps(STEPS);
		for (auto &fiber : fibers)
			fiber = std::move(fiber).resume();
	}
	return 0;
}
