/* SPDX-License-Identifier: Apache-2.0 */
/* top - `tidemark top`: what the newest reports of the services say, live */

#include "cli/top.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/preflight.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "cli/top_layout.h"
#include "cli/top_screen.h"
#include "cli/top_source.h"
#include "shared/cleanup.h"

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull

struct top {
	struct top_options options;
	struct top_source source;
	struct top_layout layout;
	struct top_layout_view view;
	struct top_screen screen;
	struct utsname host;
	int signals, resized; /* descriptors */
	uint64_t next_ns;     /* when the next table is due, CLOCK_MONOTONIC */
	bool ended;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static int draw(struct top *top)
{
	top->view.now_unix_ns = now_ns(CLOCK_REALTIME);
	top_screen_size(&top->view.columns, &top->view.lines);
	top_layout_make(&top->layout, &top->view, &top->source.table, &top->source.result);
	return top_screen_draw(&top->layout) < 0 ? EXIT_CODE_FAILED : 0;
}

/* --- one table -------------------------------------------------------------------------------- */

static int wait_for_viewer(struct top_source *source)
{
	int r = 0;

	while (r == 0 && source->running) {
		const struct child *child = &source->viewer.child;
		struct pollfd events[] = {
			{.fd = child->control, .events = POLLIN},
			{.fd = child->errors, .events = POLLIN},
			{.fd = child->pidfd, .events = POLLIN},
		};

		if (poll(events, sizeof(events) / sizeof(events[0]), -1) < 0 && errno != EINTR)
			return EXIT_CODE_FAILED;
		if (top_source_serve(source))
			r = top_source_finish(source);
	}
	return r;
}

static int print_once(struct top *top)
{
	int r = wait_for_viewer(&top->source);

	if (r)
		return r;
	if (top->source.result.sides[0].reports == 0) {
		terminal_print("%s: the spool has no report yet", top->options.spool);
		return EXIT_CODE_FAILED;
	}
	top->view.now_unix_ns = now_ns(CLOCK_REALTIME);
	top_layout_make(&top->layout, &top->view, &top->source.table, &top->source.result);
	for (unsigned i = 0; i < top->layout.count; i++)
		(void)puts(top->layout.lines[i]);
	return fflush(stdout) == 0 ? 0 : EXIT_CODE_FAILED;
}

/* --- live ------------------------------------------------------------------------------------- */

static void on_key(struct top *top, int key)
{
	struct top_layout_view *view = &top->view;

	switch (key) {
	case 'q':
		top->ended = true;
		return;
	case 'f':
		view->by = TOP_BY_FUNCTION;
		return;
	case 'p':
		view->by = TOP_BY_PROCESS;
		return;
	case 'c':
		view->by = TOP_BY_CONTAINER;
		return;
	case 'o':
		view->kind = view->kind == TOP_ON_CPU ? TOP_OFF_CPU : TOP_ON_CPU;
		return;
	case 's':
		view->sort = TOP_SELF;
		return;
	case 't':
		view->sort = TOP_TOTAL;
		return;
	case ' ':
		view->paused = !view->paused;
		return;
	default:
		return;
	}
}

/* Until the next table is due; -1: something else comes first. */
static int timeout_ms(const struct top *top)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC);

	if (top->source.running || top->view.paused)
		return -1;
	return now >= top->next_ns ? 0 : (int)((top->next_ns - now + NS_PER_MS - 1) / NS_PER_MS);
}

static int refresh(struct top *top)
{
	if (top->source.running || top->view.paused || now_ns(CLOCK_MONOTONIC) < top->next_ns)
		return 0;
	terminal_hold();
	top->next_ns = now_ns(CLOCK_MONOTONIC) + top->options.interval_ns;
	return top_source_start(&top->source, now_ns(CLOCK_REALTIME));
}

enum {
	ON_KEYS,
	ON_SIGNALS,
	ON_RESIZED,
	ON_CONTROL,
	ON_ERRORS,
	ON_END,
	ON_N,
};

/* Return: 0, or an exit code: the end, after printing why. */
static int serve(struct top *top, const struct pollfd events[ON_N])
{
	struct signalfd_siginfo info;
	int key, r = 0;

	if (events[ON_SIGNALS].revents && signals_read(top->signals) != 0)
		top->ended = true;
	if (events[ON_RESIZED].revents && read(top->resized, &info, sizeof(info)) < 0)
		return EXIT_CODE_FAILED;
	if (events[ON_KEYS].revents) {
		key = top_screen_key(&top->screen);
		if (key < 0)
			top->ended = true;
		on_key(top, key);
	}
	if (top->source.running && top_source_serve(&top->source))
		r = top_source_finish(&top->source);
	return r;
}

static int step(struct top *top)
{
	const struct child *child = &top->source.viewer.child;
	bool running = top->source.running;
	struct pollfd events[ON_N] = {
		[ON_KEYS] = {.fd = STDIN_FILENO, .events = POLLIN},
		[ON_SIGNALS] = {.fd = top->signals, .events = POLLIN},
		[ON_RESIZED] = {.fd = top->resized, .events = POLLIN},
		[ON_CONTROL] = {.fd = running ? child->control : -1, .events = POLLIN},
		[ON_ERRORS] = {.fd = running ? child->errors : -1, .events = POLLIN},
		[ON_END] = {.fd = running ? child->pidfd : -1, .events = POLLIN},
	};
	int r;

	if (poll(events, ON_N, timeout_ms(top)) < 0)
		return errno == EINTR ? 0 : EXIT_CODE_FAILED;
	r = serve(top, events);
	if (r == 0 && !top->ended)
		r = refresh(top);
	return r || top->ended ? r : draw(top);
}

static int open_signals(struct top *top)
{
	sigset_t resized;

	(void)sigemptyset(&resized);
	(void)sigaddset(&resized, SIGWINCH);
	top->signals = signals_open();
	if (top->signals < 0 || sigprocmask(SIG_BLOCK, &resized, NULL) < 0)
		return EXIT_CODE_FAILED;
	top->resized = signalfd(-1, &resized, SFD_CLOEXEC | SFD_NONBLOCK);
	return top->resized < 0 ? EXIT_CODE_FAILED : 0;
}

static int run_live(struct top *top)
{
	int r = open_signals(top);

	if (r) {
		terminal_print("signals cannot be waited for: %s", strerror(errno));
		return r;
	}
	top->view.with_keys = true;
	terminal_hold();
	if (top_screen_open(&top->screen) < 0)
		r = EXIT_CODE_FAILED;
	top->next_ns = now_ns(CLOCK_MONOTONIC) + top->options.interval_ns;
	if (r == 0)
		r = draw(top);
	while (r == 0 && !top->ended)
		r = step(top);
	top_screen_close(&top->screen);
	if (r)
		terminal_release();
	return r;
}

/* --- in order --------------------------------------------------------------------------------- */

static int run(struct top *top)
{
	const struct top_options *options = &top->options;
	int r = top_source_open(&top->source, options);

	if (r)
		return r;
	(void)uname(&top->host);
	top->view = (struct top_layout_view){.host = top->host.nodename,
					     .by = options->by,
					     .kind = options->kind,
					     .sort = options->sort};
	r = top_source_start(&top->source, now_ns(CLOCK_REALTIME));
	if (r && !top->source.running)
		terminal_print("what top shows is written by the services (systemctl start "
			       "tidemark.target) or by: tidemark record --spool DIR --every 2");
	if (r == 0)
		r = options->once || !top_screen_possible() ? print_once(top) : run_live(top);
	return r;
}

int top_main(int argc, char *const argv[])
{
	static struct top top = {.signals = -1, .resized = -1}; /* large */
	char problem[PROBLEM_BYTES];
	int r = top_options_parse(&top.options, argc, argv, problem);

	if (r == OPTIONS_E_HELP)
		return help_print(HELP_TOP);
	if (r == OPTIONS_E_USAGE) {
		terminal_print("%s (see tidemark top --help)", problem);
		return EXIT_CODE_USAGE;
	}
	preflight_raise_files();
	r = run(&top);
	top_source_close(&top.source);
	top.signals = tm_close(top.signals);
	top.resized = tm_close(top.resized);
	return r;
}
