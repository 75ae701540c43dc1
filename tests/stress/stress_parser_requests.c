/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stress_parser_requests - callers in threads, a reader and a parser that answers late, dies or not
 *
 * Each caller gives up some of its requests before their answers come, and closes their descriptors
 * at once. Every answer that one does get is the one to its own request: the parser returns
 * the descriptor that came with it.
 */

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "symbolizer/names/parser_requests.h"
#include "tests/model/random.h"
#include "tests/stress/check.h"

#define CALLERS    3u
#define REQUESTS   3000u
#define PATIENT_MS 20000
#define LOST_EACH  97u /* requests after which the parser is lost */

struct caller {
	struct parser_requests *requests;
	uint32_t number;
	uint32_t answered, failed, gave_up, full;
};

static struct parser_requests requests;
static atomic_uint asking = CALLERS;

static int file_of(uint64_t value)
{
	int fd = memfd_create("value", MFD_CLOEXEC);

	CHECK(fd >= 0 && write(fd, &value, sizeof(value)) == sizeof(value));
	return fd;
}

static void ask_once(struct caller *caller, uint64_t value, int64_t timeout_ms)
{
	struct parser_client_request request = {
		.kind = PARSER_DEMANGLE,
		.target = -1,
		.parts = {file_of(value), -1},
		.part_count = 1,
		.count = 1,
	};
	struct parser_client_answer answer;
	uint64_t read_back = 0;
	int r = parser_requests_ask(caller->requests, &request, timeout_ms, &answer);

	CHECK(close(request.parts[0]) == 0);
	CHECK(r != PARSER_REQUESTS_E_STOPPED);
	caller->gave_up += r == PARSER_REQUESTS_E_TIMEOUT;
	caller->full += r == PARSER_REQUESTS_E_FULL;
	if (r)
		return;
	caller->failed += answer.fd < 0;
	CHECK((answer.fd < 0) == (answer.failure != TM_PARSE_N));
	if (answer.fd < 0)
		return;
	CHECK(pread(answer.fd, &read_back, sizeof(read_back), 0) == sizeof(read_back));
	CHECK(read_back == value);
	CHECK(close(answer.fd) == 0);
	caller->answered++;
}

static void *run_caller(void *context)
{
	struct caller *caller = context;
	uint64_t state = caller->number + 1;

	for (uint32_t i = 0; i < REQUESTS; i++) {
		bool patient = random_below(&state, 3) != 0;

		ask_once(caller, (uint64_t)caller->number << 32 | i,
			 patient ? PATIENT_MS : random_below(&state, 2));
	}
	(void)atomic_fetch_sub(&asking, 1);
	return NULL;
}

/* Return: whether the parser is to go on. */
static bool answer(int socket, uint32_t *seen)
{
	struct parser_message message, part;
	int target = -1, fd = -1;
	bool goes_on;

	if (tm_fdpass_recv(socket, &message, sizeof(message), &target, 0))
		return false;
	CHECK(message.kind == PARSER_DEMANGLE && message.parts == 1 && target < 0);
	if (tm_fdpass_recv(socket, &part, sizeof(part), &fd, 0))
		return false;
	CHECK(part.kind == PARSER_PART && part.id == message.id && fd >= 0);
	message.kind = PARSER_RESULT;
	message.count = message.parts = 0;
	message.status = PARSER_OK;
	goes_on = ++*seen % LOST_EACH != 0 &&
		  tm_fdpass_send(socket, &message, sizeof(message), fd, 0) == 0;
	(void)close(fd);
	return goes_on;
}

/* Each parser, one after the other, on the other end of a socket pair that the reader attaches. */
static void *run_parser(void *context)
{
	const int *ends = context;
	static uint32_t seen;

	while (answer(*ends, &seen))
		;
	(void)close(*ends);
	return NULL;
}

static void start_parser(struct parser_client *client, pthread_t *thread, int *end)
{
	static uint64_t number;
	int ends[2];

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
	parser_client_attach(client, ends[0], ++number);
	*end = ends[1];
	CHECK(pthread_create(thread, NULL, run_parser, end) == 0);
}

/* The reader, as event_loop does it. */
static void read_until_done(struct parser_client *client)
{
	pthread_t thread;
	int end;

	start_parser(client, &thread, &end);
	while (atomic_load(&asking)) {
		struct pollfd ready[] = {
			{.fd = client->socket, .events = POLLIN},
			{.fd = requests.wake[0], .events = POLLIN},
		};

		(void)poll(ready, 2, 100);
		parser_client_round(client);
		parser_requests_round(&requests, client);
		if (client->socket < 0) {
			CHECK(pthread_join(thread, NULL) == 0);
			start_parser(client, &thread, &end);
		}
	}
	client->socket = tm_close(client->socket);
	CHECK(pthread_join(thread, NULL) == 0);
}

static void *ask_until_stopped(void *context)
{
	struct parser_client_request request = {.kind = PARSER_DEMANGLE, .target = -1};
	struct parser_client_answer answer;

	CHECK(parser_requests_ask(&requests, &request, PATIENT_MS, &answer) ==
	      PARSER_REQUESTS_E_STOPPED);
	return NULL;
}

int main(void)
{
	struct caller callers[CALLERS];
	pthread_t threads[CALLERS];
	struct parser_client client = PARSER_CLIENT_NULL;
	uint32_t answered = 0, failed = 0, gave_up = 0, full = 0;

	CHECK(parser_requests_init(&requests) == 0);
	for (uint32_t i = 0; i < CALLERS; i++) {
		callers[i] = (struct caller){.requests = &requests, .number = i};
		CHECK(pthread_create(&threads[i], NULL, run_caller, &callers[i]) == 0);
	}
	read_until_done(&client);
	for (uint32_t i = 0; i < CALLERS; i++) {
		CHECK(pthread_join(threads[i], NULL) == 0);
		answered += callers[i].answered;
		failed += callers[i].failed;
		gave_up += callers[i].gave_up;
		full += callers[i].full;
	}
	printf("%u answered, %u failed, %u given up, %u found no slot\n", answered, failed, gave_up,
	       full);
	CHECK(answered && failed && gave_up);
	CHECK(answered + failed + gave_up + full == CALLERS * REQUESTS);
	/* Given-up requests may still hold all slots. */
	parser_requests_deinit(&requests);
	CHECK(parser_requests_init(&requests) == 0);
	CHECK(pthread_create(&threads[0], NULL, ask_until_stopped, NULL) == 0);
	parser_requests_stop(&requests);
	CHECK(pthread_join(threads[0], NULL) == 0);
	parser_requests_deinit(&requests);
	return 0;
}
