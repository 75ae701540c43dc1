/*
 * watermark - the rule of DESIGN 4.3 as a model with a store buffer
 *
 * One CPU on which a second writer may interrupt the first at any step (nesting), a collector that
 * runs its rounds against it, and a clock that two readers see up to SKEW apart. The CPU's stores
 * to its marks pass through a FIFO store buffer, as on x86; ring reservation and commit are locked
 * operations and empty it. A record still being written stands in front of finished ones whenever
 * level 1 interrupts level 0 between its reservation and its commit. Checked: no record older than
 * a published W comes out of the ring after that W. Each of these leaves out one part of the rule, and
 * must then be found:
 *   NO_MARK     no mark at all                     NO_BARRIER  mark may still be in the store buffer
 *   NO_ORDER    ktime read before the mark         NO_MAX      ktime without max(k0, second read)
 *   NO_T_FIRST  T after the marks and positions    PAST_BUSY   W goes on though a ring is stopped
 */

#ifndef RECORDS
#define RECORDS 2 /* the ring's length, and all the records ever written */
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define LEVELS 2
#define SKEW 1	/* the NMI-safe clock may lag by this much */
#define GUARD 1 /* G */
#ifndef CLOCK_MAX
#define CLOCK_MAX 5
#endif
#define NONE 255

byte now = 2;
byte mark[LEVELS];  /* as memory has them; 0: nothing */
byte ring[RECORDS]; /* ktimes */
bool busy[RECORDS];
byte reserved;	    /* producer position */

/* the store buffer of the CPU's marks: level and value of each pending store, oldest first */
byte pending_level[4];
byte pending_value[4];
byte pending;

byte published;	    /* W */
bool interrupted;   /* level 1 is running: level 0 stands still */

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

inline store_mark(level, value)
{
	pending_level[pending] = level;
	pending_value[pending] = value;
	pending++
}

/* Time passes where somebody looks at it: elsewhere a tick could not be told from a later one. */
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

/* `level` 0 may step only while level 1 is not running on its CPU. */
#define MY_TURN(level) (level == 1 || !interrupted)

inline write_record(level)
{
#ifdef NO_ORDER /* the ktime of the record is read before the mark is stored */
	atomic { MY_TURN(level) -> fast_clock(k1) };
#endif
	atomic { MY_TURN(level) -> fast_clock(k0) };
#ifndef NO_MARK
	atomic { MY_TURN(level) -> store_mark(level, k0) };
#endif
#ifndef NO_BARRIER
	atomic { MY_TURN(level) -> flush() };
#endif
#ifndef NO_ORDER
	atomic { MY_TURN(level) -> fast_clock(k1) };
#endif
	atomic { MY_TURN(level) -> flush();
#if !defined(NO_MAX) && !defined(NO_ORDER)
		if
		:: k1 < k0 -> k1 = k0
		:: else
		fi;
#endif
		at = reserved; reserved++; busy[at] = true; ring[at] = k1; k0 = 0; k1 = 0 };
	atomic { MY_TURN(level) -> flush(); busy[at] = false; at = 0 };
#ifndef NO_MARK
	atomic { MY_TURN(level) -> store_mark(level, 0) }
#endif
}

active proctype level0()
{
	byte k0, k1, at;

	do
	:: reserved < RECORDS - 1 -> write_record(0)
	:: true -> break
	od
}

active proctype level1()
{
	byte k0, k1, at;

	atomic { true -> interrupted = true };
	write_record(1);
	atomic { flush(); interrupted = false } /* the return from an interrupt serialises */
}

/* The hardware empties the buffer whenever it likes. */
active proctype memory()
{
end:	do
	:: atomic { pending > 0 -> drain_one() }
	od
}

active proctype collector()
{
	byte t, head, upto, round, level, lowest[LEVELS];
	bool stopped;

	do
	:: round < ROUNDS ->
#ifndef NO_T_FIRST
		atomic { tick(); t = now; level = 0 };
#endif
		/* the fence after T is this model's program order: loads here happen in order */
		do
		:: level < LEVELS -> atomic { lowest[level] = mark[level]; level++ }
		:: else -> break
		od;
#ifdef NO_T_FIRST
		upto = reserved;
		atomic { tick(); t = now };
#else
		upto = reserved;
#endif
		atomic {
			do
			:: head < upto && !busy[head] ->
				assert(ring[head] >= published); /* late */
				ring[head] = 0;
				head++
			:: else -> break
			od;
			stopped = head < upto;
			upto = 0;
			t = t - GUARD;
			level = 0;
			do
			:: level < LEVELS ->
				if
				:: lowest[level] != 0 && lowest[level] < t -> t = lowest[level]
				:: else
				fi;
				lowest[level] = 0;
				level++
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
			t = 0;
			level = 0;
			round++
		}
	:: else -> break
	od
}
