/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * java_lines - finds the source line of a place in a method of HotSpot by its line table
 *
 * Shape      pairs of a place and its line, each as what it adds to the pair before: in one byte of
 *            5 and 3 bits, or behind 0xff as two signed numbers of 1 to 5 bytes (UNSIGNED5), of
 *            which from TM_JAVA_BYTE_ZERO on no byte is 0. A byte 0 ends the table; what follows it
 *            means nothing.
 * Order      the line of a place is that of the first pair with it, else of the last one among
 *            those with the nearest place before it. Tables need not ascend; one that is cut is
 *            taken to, as compilers write them, so there are no lines behind its last pair.
 * Trust      the table is hostile bytes. What is not in it has no line.
 * Source     Method::line_number_from_bci, CompressedLineNumberReadStream and UNSIGNED5 of
 *            HotSpot's share/oops/method.cpp, share/code/compressedStream.hpp and
 *            share/utilities/unsigned5.hpp.
 */

#include <stddef.h>
#include <stdint.h>

/*
 * @version: of Java. @place: bytes of bytecode from the beginning of the method. Return: the line;
 * 0: it has none, or is not known.
 */
uint32_t java_lines_find(const uint8_t *table, size_t bytes, uint32_t version, uint32_t place);
