// SPDX-License-Identifier: Apache-2.0
// busy - a C++ program whose time is in a member of a class template: busy SECONDS
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace shop
{
template <typename T> struct Stock {
	std::map<std::string, std::vector<T>> items;

	/* a good part of the time is in an inlined call */
	__attribute__((always_inline)) static bool is_below(const T &price, const T &limit)
	{
		for (volatile int i = 0; i < 4; i = i + 1)
			;
		return price < limit;
	}

	__attribute__((noinline)) long count(const T &limit) const
	{
		volatile long found = 0;

		for (int round = 0; round < 1000; round++)
			for (const auto &item : items)
				for (const auto &price : item.second)
					if (is_below(price, limit))
						found = found + 1;
		return found;
	}
};
} // namespace shop

int main(int argc, char **argv)
{
	shop::Stock<double> stock;
	auto end = std::chrono::steady_clock::now() +
		   std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : 1);
	long found = 0;

	for (int i = 0; i < 50; i++)
		stock.items["item " + std::to_string(i)] = std::vector<double>(20, i);
	while (std::chrono::steady_clock::now() < end)
		found += stock.count(25.0);
	std::printf("%ld\n", found);
}
