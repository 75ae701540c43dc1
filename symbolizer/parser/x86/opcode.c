/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opcode - tables of what follows each opcode, and of what it writes
 */

#include "symbolizer/parser/x86/opcode.h"

/* clang-format off */
static const char one[] = "MMRRbz..MMRRbz..MMRRbz..MMRRbz.."
			  "MMRRbz..MMRRbz..MMRRbz..mmmmbz.."
			  "................ssssssssssssssss"
			  "...R....sYsrnnnnssssssssssssssss"
			  "ss.smmXXMsRsMsmsnooooooonn.nssnn"
			  "qqqqnnnnbznnnnnnBBBBBBBBVVVVVVVV"
			  "IIss..IZ.s..s...MMMM...nmmmmmmmm"
			  "ssssbbbbss.snnnn....snssnnnnnnMs";
static const char two[] = ".mRR.n.....s.m..mmmmmmmmmmmmmmmm"
			  "........mmmmRRmm.n.............."
			  "RRRRRRRRRRRRRRRRRmmmmmmmmmmmmmmm"
			  "mmmmmmmmmmmmmmmmiiiimmmn....mmMm"
			  "ssssssssssssssssMMMMMMMMMMMMMMMM"
			  "..nmIM.....MIMMRMM.M..RRRssMRRRR"
			  "XXimiriMoooooooommmmmmmRmmmmmmmm"
			  "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm.";
/* clang-format on */

_Static_assert(sizeof(one) == 257 && sizeof(two) == 257, "an entry for each opcode");

/* Where VEX and EVEX differ from `two`. */
static char class_of_vector(const struct encoding *in)
{
	char class = two[in->opcode];

	switch (in->map) {
	case MAP_0F38:
		if (in->evex || in->opcode < 0xf2 || in->opcode > 0xf7)
			return 'm';
		return in->opcode == 0xf4 ? '.' : 'R';
	case MAP_0F3A:
		if (in->opcode >= 0x14 && in->opcode <= 0x17)
			return 'I';
		return in->opcode == 0xf0 ? 'r' : 'i';
	default:
		break;
	}
	if (in->evex && (in->opcode == 0x78 || in->opcode == 0x79))
		return 'R';
	if (in->evex && in->opcode >= 0x7a && in->opcode <= 0x7b)
		return 'm';
	if ((in->opcode & 0xf0) == 0x40)
		return 'm';
	if ((in->opcode & 0xf0) == 0x90)
		return in->opcode == 0x93 ? 'R' : 'm';
	if (in->opcode == 0x7e)
		return in->repeat == 0xf3 ? 'm' : 'M';
	return class == 's' || class == 'o' || class == 'X' || class == 'I' ? '.' : class;
}

char opcode_class(const struct encoding *in)
{
	if (in->vex)
		return class_of_vector(in);
	switch (in->map) {
	case MAP_PRIMARY:
		return one[in->opcode];
	case MAP_0F:
		if (in->opcode == 0x7e && in->repeat == 0xf3)
			return 'm'; /* between vector registers */
		return two[in->opcode];
	case MAP_0F38:
		if (in->opcode == 0xf0 || in->opcode == 0xf6)
			return 'R';
		if (in->opcode == 0xf1)
			return in->repeat == 0xf2 ? 'R' : 'M';
		return 'm';
	default:
		return in->opcode >= 0x14 && in->opcode <= 0x17 ? 'I' : 'i';
	}
}
