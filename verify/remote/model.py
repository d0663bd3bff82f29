#!/usr/bin/env python3
"""Explicit-state model of where a remote child may run: leases, fences, placement, takeover by a new owner.

Everything that crosses the network may be late or lost; links are cut and mended; nodes freeze, thaw, die and come
back; the owner dies and another one starts. Time goes in ticks. Asked of every state that can be reached:

  I1  at most one instance acts (a frozen one does not act)
  I2  once faults cease, the child comes up again

The rules are S57, S58 and S60 of docs/semantics/remote.md. Each of them is also left out once, and then a violation must be
found: otherwise the search would not notice a broken rule. (That tokens grow, S59, needs no search: a token is the
owner's epoch and a counter, compared in this order.)

    verify/remote/model.py                 the search with three faults, and each rule left out
    verify/remote/model.py --faults 4      with four faults (minutes)
    verify/remote/model.py --without NAME  only with this rule left out
"""
import argparse
import sys
import time

LEASE, STOP = 2, 1                    # ticks
FLOOR = -(STOP + 1)                   # clocks below this are all the same
NONE, RUN, STOPPING = 0, 1, 2

# The rules that can be left out.
RULES = {
    "stop-time": "a replacement waits for the time to go down, too",
    "lease-from-asking": "a lease counts from the asking, not from the answer",
    "gate": "what thaws past its lease goes down",
    "takeover-wait": "a new owner waits for the leases of the one before",
}
M = None          # the rule that is left out
FAULTS = 3


def wait():
    return 0 if M == "takeover-wait" else LEASE + STOP


# node:  (up, frozen, inst, lease, stop, mine)     lease counts on while frozen; mine: of the present owner
# owner: (alive, placed, granted of 0, granted of 1, wait)
# state: (node, node, owner, cut 0, cut 1, faults left)
NODE = (True, False, NONE, FLOOR, 0, True)

class Violation(Exception):
    pass

def node(s, i, n):
    return (n,) + s[1:] if i == 0 else (s[0], n) + s[2:]

def thaw(n):
    up, frozen, inst, lease, stop, mine = n
    if M == "gate" or inst == NONE or (inst == RUN and lease > 0):
        return (up, False, inst, lease, stop, mine)
    left = lease + STOP               # of the time to stop
    if left <= 0:
        return (up, False, NONE, FLOOR, 0, mine)      # past its time: dropped, no hook runs
    return (up, False, STOPPING, lease, min(left, STOP), mine)

def faults(s):
    a, b, o, c0, c1, left = s
    yield s
    if not left:
        return
    yield (a, b, o, not c0, c1, left - 1)
    yield (a, b, o, c0, not c1, left - 1)
    for i in (0, 1):
        n = s[i]
        t = s[:5] + (left - 1,)
        if n[0]:
            yield node(t, i, thaw(n) if n[1] else (True, True) + n[2:])
        yield node(t, i, (not n[0], False, NONE, FLOOR, 0, True))  # dies; what comes back is a new node
    if o[0]:
        older = [x[:5] + (x[2] == NONE,) for x in (a, b)]
        yield (*older, (False, -1, FLOOR, FLOOR, 0), c0, c1, left - 1)
    else:
        yield (a, b, (True, -1, FLOOR, FLOOR, wait()), c0, c1, left - 1)

def renew(s, i):
    """A node asks: answered at once, a tick late, or the answer is lost. Or it does not ask at all."""
    yield s
    n, o, cut = s[i], s[2], s[3 + i]
    up, frozen, inst, lease, stop, mine = n
    if not up or frozen or cut or not o[0]:
        return
    if inst != NONE and not mine:     # word of another owner: down with the old one's
        if inst == RUN:
            yield node(s, i, (up, frozen, STOPPING, lease, STOP, mine))
        return
    if inst == RUN and o[1] != i:
        return                        # given up by the owner: no grant, it runs out
    def granted(g):
        oo = (o[0], o[1], g, o[3], o[4]) if i == 0 else (o[0], o[1], o[2], g, o[4])
        return s[:2] + (oo,) + s[3:]
    yield granted(LEASE)                                                     # the answer is lost
    yield node(granted(LEASE), i, (up, frozen, inst, LEASE, stop, True))     # at once
    # Asked a tick ago, granted then or now (the owner counts from the grant), answered now.
    until = LEASE if M == "lease-from-asking" else LEASE - 1
    for g in (LEASE - 1, LEASE):
        yield node(granted(g), i, (up, frozen, inst, until, stop, True))

def decide(s):
    """The owner gives the child up, places it, or waits."""
    o = s[2]
    alive, placed, g0, g1, wait = o
    if not alive:
        yield s
        return
    if placed >= 0:
        n = s[placed]
        lost = (g0, g1)[placed] + (0 if M == "stop-time" else STOP) <= 0
        said = n[0] and not n[1] and not s[3 + placed] and n[2] == NONE     # the node says that it is down
        if lost or said:
            placed = -1
            s = s[:2] + ((alive, -1, g0, g1, wait),) + s[3:]
    yield s
    if placed < 0 and wait == 0:
        for i in (0, 1):
            n = s[i]
            if n[0] and not n[1] and not s[3 + i] and n[2] == NONE and n[3] > 0:
                yield node(s[:2] + ((alive, i, g0, g1, wait),) + s[3:], i, (True, False, RUN, n[3], 0, True))

def later(n):
    up, frozen, inst, lease, stop, mine = n
    lease = max(FLOOR, lease - 1)
    if up and not frozen:
        if inst == STOPPING:
            stop -= 1
            if stop <= 0:
                inst, stop, mine = NONE, 0, True
        elif inst == RUN and lease <= 0:
            inst, stop = STOPPING, STOP
    return (up, frozen, inst, lease, stop, mine)

def tick(s):
    alive, placed, g0, g1, wait = s[2]
    o = (alive, placed, max(FLOOR, g0 - 1), max(FLOOR, g1 - 1), max(0, wait - 1))
    return (later(s[0]), later(s[1]), o, *s[3:])

def check(s):
    if sum(1 for n in s[:2] if n[0] and not n[1] and n[2] != NONE) > 1:
        raise Violation(f"I1: two instances act\n  {s}")

def step(s):
    a = set(faults(s))
    b = {r for f in a for r0 in renew(f, 0) for r in renew(r0, 1)}
    c = {d for r in b for d in decide(r)}
    for x in a:
        check(x)
    for x in c:
        check(x)
    return {tick(d) for d in c}

CALM = {}
def comes_up(s):
    """No more faults, everybody works, every answer comes at once."""
    nodes = [thaw(n) if n[1] else n if n[0] else NODE for n in s[:2]]
    o = s[2] if s[2][0] else (True, -1, FLOOR, FLOOR, wait())
    s = (*nodes, o, False, False, 0)
    path = []
    for _ in range(16):
        if s in CALM or (s[2][1] >= 0 and s[s[2][1]][2] == RUN):
            CALM.update((p, True) for p in path)
            return
        path.append(s)
        for i in (0, 1):
            s = max(renew(s, i), key=lambda x: (x[i][3], -x[i][2]))
            n = s[i]
            if n[2] == RUN and not n[5]:
                s = node(s, i, (*n[:2], STOPPING, n[3], STOP, n[5]))
        s = tick(list(decide(s))[-1])
    raise Violation(f"I2: it does not come up again\n  {s}")

def search(without):
    """Searches all states. Returns how many there are, and the violation, if there is one."""
    global M
    M = without
    CALM.clear()
    first = (NODE, NODE, (True, -1, FLOOR, FLOOR, wait()), False, False, FAULTS)
    seen, todo = {first}, [first]
    try:
        while todo:
            new = set()
            for s in todo:
                check(s)
                if M is None:
                    comes_up(s)
                new |= step(s)
            todo = list(new - seen)
            seen |= new
    except Violation as violation:
        return len(seen), violation
    return len(seen), None


def main():
    global FAULTS
    ap = argparse.ArgumentParser(description="Searches the rules of leases for a violation.")
    ap.add_argument("--without", choices=RULES, help="leave only this rule out")
    ap.add_argument("--faults", type=int, default=FAULTS, help="how many faults a history may have")
    args = ap.parse_args()
    FAULTS = args.faults
    failed = False
    for without in [args.without] if args.without else [None, *RULES]:
        began = time.time()
        states, violation = search(without)
        name = f"without {without!r} ({RULES[without]})" if without else f"all rules, {FAULTS} faults"
        found = f"violation: {violation}" if violation and not without else "violation found" if violation else "no violation"
        print(f"{name}: {states} states, {found}, {time.time() - began:.1f} s", flush=True)
        if (violation is None) == (without is not None):
            print(f"WRONG: {name}: {'a broken rule is not noticed' if without else 'a rule does not hold'}")
            failed = True
    sys.exit(1 if failed else 0)


main()
