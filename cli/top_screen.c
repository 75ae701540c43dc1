/* SPDX-License-Identifier: Apache-2.0 */
/* top_screen - the whole terminal for `tidemark top`, and its keys */

#include "cli/top_screen.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 80u
#define LINES_DEFAULT   24u

/* ECMA-48, and the private modes of xterm that every terminal emulator of today has. */
#define ENTER          "\033[?1049h\033[?25l\033[?7l" /* second screen, no cursor, no wrapping */
#define LEAVE          "\033[?7h\033[?25h\033[?1049l"
#define HOME           "\033[H"
#define CLEAR_RIGHT    "\033[K"
#define CLEAR_BELOW    "\033[J"
#define REVERSE        "\033[7m"
#define PLAIN          "\033[m"
#define ESCAPE         '\033'

#define SEQUENCE_FINAL 0x40 /* the least of the bytes that end one */

bool top_screen_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int flush(void)
{
	return fflush(stdout) == 0 ? 0 : -errno;
}

int top_screen_open(struct top_screen *screen)
{
	struct termios keys;

	if (tcgetattr(STDIN_FILENO, &screen->saved) < 0)
		return -errno;
	keys = screen->saved;
	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	keys.c_cc[VMIN] = 1;
	keys.c_cc[VTIME] = 0;
	keys.c_cc[VSUSP] = _POSIX_VDISABLE;
	keys.c_cc[VQUIT] = _POSIX_VDISABLE;
	if (tcsetattr(STDIN_FILENO, TCSANOW, &keys) < 0)
		return -errno;
	screen->is_open = true;
	(void)fputs(ENTER, stdout);
	return flush();
}

void top_screen_close(struct top_screen *screen)
{
	if (!screen->is_open)
		return;
	screen->is_open = false;
	(void)fputs(LEAVE, stdout);
	(void)flush();
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &screen->saved);
}

void top_screen_size(unsigned *ret_columns, unsigned *ret_lines)
{
	struct winsize size = {0};

	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*ret_columns = size.ws_col ? size.ws_col : COLUMNS_DEFAULT;
	*ret_lines = size.ws_row ? size.ws_row : LINES_DEFAULT;
}

int top_screen_draw(const struct top_layout *layout)
{
	(void)fputs(HOME, stdout);
	for (unsigned i = 0; i < layout->count; i++)
		(void)printf("%s%s%s%s" CLEAR_RIGHT, i ? "\r\n" : "",
			     i == layout->heading ? REVERSE : "", layout->lines[i],
			     i == layout->heading ? PLAIN : "");
	(void)fputs(CLEAR_BELOW, stdout);
	return flush();
}

/* An arrow or a function key is a sequence, ESC [ 1 5 ~ or ESC O A, and its letters are no keys. */
static int key_of(struct top_screen *screen, unsigned char byte)
{
	enum top_screen_sequence before = screen->sequence;

	screen->sequence = TOP_SCREEN_NONE;
	if (byte == ESCAPE) {
		screen->sequence = TOP_SCREEN_ESCAPE;
		return 0;
	}
	if (before == TOP_SCREEN_ESCAPE && (byte == '[' || byte == 'O'))
		screen->sequence = TOP_SCREEN_PARAMETERS;
	else if (before == TOP_SCREEN_PARAMETERS && byte < SEQUENCE_FINAL)
		screen->sequence = TOP_SCREEN_PARAMETERS;
	return before == TOP_SCREEN_NONE ? byte : 0;
}

int top_screen_key(struct top_screen *screen)
{
	unsigned char byte;
	ssize_t got = read(STDIN_FILENO, &byte, 1);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	return got <= 0 ? -EIO : key_of(screen, byte);
}
