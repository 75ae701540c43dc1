/*
 * watermark - model of the watermark's rule (HACKING, The watermark) with a store buffer
 *
 * CPU 0: a second writer, which announces, may interrupt the first at any step (nesting). Its
 * stores to its marks pass through a FIFO store buffer, as on x86; ring reservation and commit are
 * locked operations and empty it. An unfinished record stands in front of finished ones whenever
 * level 1 interrupts level 0 between its reservation and its commit.
 * CPU 1, with TWO_CPUS in place of the store buffer: its sample relies on the announcement if it
 * finds it noted. It may have read its ktime long before, so the announcement that waits behind the
 * unfinished record may be newer than the sample that needs it (WITNESS finds that).
 * The collector runs its rounds against them, and the clock that two readers see is up to SKEW
 * apart. Checked: 1. no record older than a published W comes out of a ring after that W; 2. once W
 * has passed a sample, what it relies on has come out. Each of these leaves out one part of the
 * rule, and must then be found:
 *   NO_MARK     no mark at all                     NO_BARRIER  mark may still be in the store
 *   buffer NO_ORDER    ktime read before the mark         NO_MAX      ktime without max(k0, second
 *   read) NO_T_FIRST  T after the marks and positions    PAST_BUSY   W rises though a ring is
 *   blocked
 */

#ifndef ROUNDS
#define ROUNDS 2
#endif
#define RECORDS 2 /* the length of each ring, and all the records ever written to one */
#define CPUS 2
#ifdef TWO_CPUS
#define MARKS 3	/* levels 0 and 1 of CPU 0, level 0 of CPU 1 */
#else
#define MARKS 2
#endif
#define SKEW 1	/* the NMI-safe clock may lag by this much */
#define GUARD 1 /* G */
#ifndef CLOCK_MAX
#define CLOCK_MAX 5
#endif

byte now = 2;
byte mark[MARKS]; /* as memory has them; 0: nothing */
bool noted;	  /* the announcement is in its ring */

typedef ring_of {
	byte ktime[RECORDS];
	bool busy[RECORDS];
	bool announces[RECORDS];
	bool relies[RECORDS]; /* on the announcement */
	byte reserved;	      /* producer position */
};
ring_of ring[CPUS];

/* the store buffer of CPU 0's marks: level and value of each pending store, oldest first */
byte pending_level[4];
byte pending_value[4];
byte pending;

byte published;	  /* W */
bool over;	  /* the collector has done its rounds: nothing more can go wrong */
bool interrupted; /* level 1 is running: level 0 stands still */

inline drain_one()
{
	mark[pending_level[0]] = pending_value[0];
	pending_level[0] = pending_level[1];
	pending_value[0] = pending_value[1];
	pending_level[1] = pending_level[2];
	pending_value[1] = pending_value[2];
	pending_level[2] = pending_level[3];
	pending_value[2] = pending_value[3];
	pending_level[3] = 0;
	pending_value[3] = 0;
	pending--
}

inline flush()
{
	do
	:: pending > 0 -> drain_one()
	:: else -> break
	od
}

inline store_mark(which, value)
{
#ifdef TWO_CPUS
	mark[which] = value
#else
	pending_level[pending] = which;
	pending_value[pending] = value;
	pending++
#endif
}

/* Time passes where a process reads it: elsewhere a tick would be the same as a later one. */
inline tick()
{
	if
	:: now < CLOCK_MAX -> now++
	:: true
	fi
}

/* The fast clock: now, or up to SKEW before it. */
inline fast_clock(ret)
{
	tick();
	if
	:: ret = now
	:: ret = now - SKEW
	fi
}

/* Level 0 of CPU 0, mark 0, may step only while level 1 is not running there. */
#define MY_TURN(which) (!over && (which != 0 || !interrupted))

/*
 * A mark that enters the store buffer is seen by nobody yet, so that is no step of its own; and a
 * flush none, as the hardware may empty the buffer at any moment before it. Mark 1's writer
 * announces; the others' samples rely on the announcement if they find it noted.
 */
inline write_record(which)
{
#ifdef NO_ORDER /* the ktime of the record is read before the mark is stored */
	atomic { MY_TURN(which) -> fast_clock(k1) };
#endif
	atomic { MY_TURN(which) -> fast_clock(k0);
#ifndef NO_MARK
		store_mark(which, k0)
#endif
	};
	atomic { MY_TURN(which) ->
#ifndef NO_BARRIER
		flush();
#endif
#ifndef NO_ORDER
		fast_clock(k1);
#endif
#if !defined(NO_MAX) && !defined(NO_ORDER)
		if
		:: k1 < k0 -> k1 = k0
		:: else
		fi;
#endif
		k0 = 0 };
	atomic { MY_TURN(which) -> flush();
		at = ring[0].reserved;
		ring[0].reserved++;
		ring[0].busy[at] = true;
		ring[0].ktime[at] = k1;
		ring[0].announces[at] = (which == 1);
		ring[0].relies[at] = (which != 1 && noted);
		k1 = 0 };
	atomic { MY_TURN(which) -> flush();
		ring[0].busy[at] = false;
		noted = noted || which == 1;
		at = 0;
#ifndef NO_MARK
		store_mark(which, 0)
#endif
	}
}

active proctype level0()
{
	byte k0, k1, at;

	if
	:: ring[0].reserved < RECORDS -> write_record(0)
	:: true
	fi
}

active proctype level1()
{
	byte k0, k1, at;

	atomic { true -> interrupted = true };
	write_record(1);
	/* the return from an interrupt serialises */
	atomic { MY_TURN(1) -> flush(); interrupted = false }
}

#ifdef TWO_CPUS
/* The order of one store and the record still being written are CPU 0's part: not again here. */
active proctype other()
{
	byte k0, k1;

#ifdef NO_ORDER
	atomic { !over -> fast_clock(k1) };
#endif
	atomic { !over -> fast_clock(k0);
#ifndef NO_MARK
		mark[2] = k0
#endif
	};
	atomic { !over ->
#ifndef NO_ORDER
		fast_clock(k1);
#endif
#if !defined(NO_MAX) && !defined(NO_ORDER)
		if
		:: k1 < k0 -> k1 = k0
		:: else
		fi;
#endif
		k0 = 0 };
	atomic { !over ->
		ring[1].reserved = 1;
		ring[1].ktime[0] = k1;
		ring[1].relies[0] = noted;
		k1 = 0 };
	atomic { !over -> mark[2] = 0 }
}
#else
/* The hardware empties the buffer whenever it likes. */
active proctype memory()
{
end:	do
	:: atomic { !over && pending > 0 -> drain_one() }
	od
}

#endif

/* What has come out of the rings, for the checks. */
bool announced;	/* the announcement was received */
byte relying;	/* ktime of the oldest sample that relies on it; 0: none */

inline drain(cpu)
{
	do
	:: head[cpu] < upto[cpu] && !ring[cpu].busy[head[cpu]] ->
		assert(ring[cpu].ktime[head[cpu]] >= published); /* late */
		announced = announced || ring[cpu].announces[head[cpu]];
		if
		:: ring[cpu].relies[head[cpu]] &&
		   (!relying || ring[cpu].ktime[head[cpu]] < relying) ->
			relying = ring[cpu].ktime[head[cpu]]
		:: else
		fi;
		ring[cpu].ktime[head[cpu]] = 0;
		ring[cpu].relies[head[cpu]] = false;
		head[cpu]++
	:: else -> break
	od;
	stopped = stopped || head[cpu] < upto[cpu];
#ifdef WITNESS
	assert(!(cpu == 0 && relying && stopped && ring[0].announces[1] &&
		 ring[0].ktime[1] > relying));
#endif
	upto[cpu] = 0
}

active proctype collector()
{
	byte t, head[CPUS], upto[CPUS], round, which, lowest[MARKS];
	bool stopped;

	do
	:: round < ROUNDS ->
#ifndef NO_T_FIRST
		atomic { tick(); t = now; which = 0 };
#endif
		/* the fence after T is this model's program order: loads here happen in order */
		do
		:: which < MARKS -> atomic { lowest[which] = mark[which]; which++ }
		:: else -> break
		od;
		upto[0] = ring[0].reserved;
		upto[1] = ring[1].reserved;
#ifdef NO_T_FIRST
		atomic { tick(); t = now };
#endif
		atomic {
			drain(1);
			drain(0);
			t = t - GUARD;
			which = 0;
			do
			:: which < MARKS ->
				if
				:: lowest[which] != 0 && lowest[which] < t -> t = lowest[which]
				:: else
				fi;
				lowest[which] = 0;
				which++
			:: else -> break
			od;
			if
#ifndef PAST_BUSY
			:: stopped -> skip
			:: !stopped && t > published -> published = t
#else
			:: t > published -> published = t
#endif
			:: else
			fi;
			assert(announced || !relying || relying >= published); /* nameless */
			t = 0;
			which = 0;
			stopped = false;
			round++;
			over = (round == ROUNDS)
		}
	:: else -> break
	od
}
