import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DelegationEvent } from "../../../pipeline/facts/dao-facts.ts";
import type { IndexedBlock } from "../../../pipeline/facts/governance-source.ts";
import { beginGovernor, block, factsOf, fetchInto, power, putEvents, transfer } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
beforeAll(() => {
  home = createWarehouseHome();
});
afterAll(() => home.remove());

const event = fc.record({
  back: fc.nat(6),
  logIndex: fc.nat(3),
  delegate: fc.option(fc.nat(3)),
  amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
});
type EventGiven = typeof event extends fc.Arbitrary<infer Value> ? Value : never;
const events = fc.array(event, { maxLength: 5 });
const ENDS = ["commit", "commit", "fail", "fail", "kill"] as const;
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("keep" as const), ahead: fc.nat(4), events }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("rewind" as const),
      to: fc.option(fc.record({ place: fc.nat(34), above: fc.nat(1), isFork: fc.boolean() })),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom(...ENDS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("archive" as const), events }) },
);

/** A block that is held or near one, of the chain or of a fork. */
const nearHeld = (held: readonly IndexedBlock[], to: { place: number; above: number; isFork: boolean }) => {
  const { number, hash } = held[to.place % Math.max(1, held.length)] ?? block(3);
  return { number: number + to.above, hash: to.isFork ? "0xother" : hash };
};

const eventsUpTo = (number: number, given: readonly EventGiven[]): DelegationEvent[] =>
  given.map(({ back, logIndex, delegate, amount }) => {
    const at = Math.max(0, number - back);
    return delegate === null ? transfer(at, logIndex, amount) : power(at, logIndex, delegate, amount);
  });

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A warehouse and the model of it, which take the same steps. Each has a DAO of its own: a file for each would take longer. */
function createRun(spaceId: string) {
  const model = createDelegationModel();
  let warehouse = home.open();
  let fetch = beginGovernor(warehouse, { spaceId });
  let forks = 0;
  /** New events that this fetch kept. */
  let brought = 0;
  const failed = () => fetch.fail({ code: "SOURCE_FAILED", message: "the node is gone" });
  const take = (one: Step) => {
    const newest = model.held()[0];
    switch (one.kind) {
      case "keep": {
        const number = (newest?.number ?? 0) + one.ahead;
        const through = number === newest?.number ? newest : block(number, `f${forks}-`);
        const kept = eventsUpTo(number, one.events);
        fetch.tokenMemory.keep(kept, through);
        brought += model.keep(kept, through);
        return undefined;
      }
      case "rewind": {
        const to = one.to === null ? undefined : nearHeld(model.held(), one.to);
        fetch.tokenMemory.rewind(to);
        forks += 1;
        return model.rewind(to);
      }
      case "commit":
        expect(fetch.commit().logs).toBe(brought);
        model.commit();
        break;
      case "fail":
        failed();
        break;
      case "kill":
        // Whoever opens the file next finds what a killed process left.
        warehouse.close();
        warehouse = home.open();
        break;
      case "archive": {
        failed();
        const put = eventsUpTo(9, one.events);
        fetchInto(warehouse, spaceId, (sink) => putEvents(sink, put));
        model.putArchive(put);
      }
    }
    fetch = beginGovernor(warehouse, { spaceId });
    brought = 0;
  };
  const compare = (at: number) => {
    expect(fetch.tokenMemory.heldThrough()).toEqual(model.held());
    expect(factsOf(warehouse, spaceId).delegationEvents).toEqual(model.seen());
    expect(fetch.tokenMemory.powersAt(at)).toEqual(model.powersAt(at));
  };
  return { take, compare, newest: () => model.held()[0]?.number ?? 0, end: () => warehouse.close() };
}

it("keeps, goes back, ends and dies as a plain list of events would", () => {
  let runs = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 70, size: "max" }), (steps) => {
      runs += 1;
      const run = createRun(`run-${runs}.eth`);
      for (const one of steps) {
        run.take(one);
        run.compare(run.newest() - 1);
      }
      run.end();
    }),
    { numRuns: 15 },
  );
});

/** The delegation of one token as plain lists: what the warehouse must say of it after any sequence of steps. */
function createDelegationModel() {
  const kept = new Map<string, DelegationEvent>();
  const put = new Map<string, DelegationEvent>();
  let held: readonly IndexedBlock[] = [];
  let confirmed: number | undefined;

  const inOrder = (events: Iterable<DelegationEvent>) =>
    [...events].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  const addTo = (events: Map<string, DelegationEvent>, event: DelegationEvent) =>
    events.set(`${event.blockNumber}/${event.logIndex}`, event);
  return {
    held: () => held,
    keep(events: readonly DelegationEvent[], block: IndexedBlock): number {
      const before = kept.size;
      for (const event of events) {
        if (!kept.has(`${event.blockNumber}/${event.logIndex}`)) addTo(kept, event);
      }
      if (held[0]?.number !== block.number) held = [block, ...held].slice(0, 32);
      return kept.size - before;
    },
    rewind(block: IndexedBlock | undefined) {
      held = held.filter(
        ({ number, hash }) =>
          block !== undefined && (number < block.number || (number === block.number && hash === block.hash)),
      );
      const newest = held[0]?.number;
      for (const [place, event] of kept) {
        if (newest === undefined || event.blockNumber > newest) kept.delete(place);
      }
      if (newest === undefined) confirmed = undefined;
      else if (confirmed !== undefined) confirmed = Math.min(confirmed, newest);
    },
    commit() {
      confirmed = held[0]?.number ?? confirmed;
    },
    /** A log that is repeated within one archive stays as it was first; that of a later archive replaces it. */
    putArchive(events: readonly DelegationEvent[]) {
      for (const event of events.toReversed()) addTo(put, event);
    },
    /** What readers see. */
    seen(): readonly DelegationEvent[] {
      const through = confirmed;
      if (through === undefined) return inOrder(put.values());
      return inOrder(kept.values()).filter((event) => event.blockNumber <= through);
    },
    powersAt(blockNumber: number): ReadonlyMap<string, bigint> {
      const powers = new Map<string, bigint>();
      for (const event of inOrder(kept.values())) {
        if (event.blockNumber <= blockNumber && event.kind === "votes-changed") {
          powers.set(event.delegate, event.after);
        }
      }
      return powers;
    },
  };
}
