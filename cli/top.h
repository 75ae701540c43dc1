/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * top - `tidemark top`: what the newest reports of the services say, live
 */

/* @argv: argv[0] is the word `top`. Return: an exit code. */
int top_main(int argc, char *const argv[]);
