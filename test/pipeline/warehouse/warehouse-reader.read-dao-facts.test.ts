import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Space } from "../../../pipeline/facts/dao-facts.ts";
import type { DelegationEvent } from "../../../pipeline/facts/delegation.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { arbitraryDelegate, arbitraryProposal } from "./arbitrary-facts.ts";
import { address, ballot, dao, delegateList, factsOf, fetchInto, proposal, TOKEN } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
beforeAll(() => {
  home = createWarehouseHome();
  warehouse = home.open();
});
afterAll(() => home.remove());

/** The largest amount a contract can say, which no double holds. */
const LARGEST = 2n ** 256n - 1n;

describe("readDaoFacts", () => {
  it("gives back every proposal as it was, in the order of (end, id), unknown ends first", () => {
    const many = fc.uniqueArray(arbitraryProposal, { selector: (one) => one.proposalId, maxLength: 12 });
    fc.assert(
      fc.property(many, (proposals) => {
        fetchInto(warehouse, "any.eth", (sink) => {
          for (const one of proposals) sink.put({ kind: "proposal", proposal: one });
        });
        const endOf = (one: (typeof proposals)[number]) => one.end?.atMs ?? Number.NEGATIVE_INFINITY;
        const sorted = [...proposals].sort((a, b) =>
          endOf(a) === endOf(b) ? (a.proposalId < b.proposalId ? -1 : 1) : endOf(a) < endOf(b) ? -1 : 1,
        );
        expect(factsOf(warehouse, "any.eth").proposals).toEqual(sorted);
      }),
    );
  });

  it("gives back every delegate list as it was", () => {
    fc.assert(
      fc.property(fc.array(arbitraryDelegate, { maxLength: 8 }), fc.boolean(), (delegates, isComplete) => {
        const list = { ...delegateList("any.eth", "2022-01-01"), delegates, isComplete };
        fetchInto(warehouse, "any.eth", (sink) => sink.put({ kind: "delegate-list", list }));
        expect(factsOf(warehouse, "any.eth").delegateLists).toEqual([list]);
      }),
    );
  });

  it.each([
    {
      why: "everything known",
      change: { name: "A", isProposingGated: true, hasFixedPeriod: false, quorum: 0.5 },
    },
    { why: "nothing known", change: {} },
    {
      why: "a quorum of 0, which is none but not unknown",
      change: { quorum: 0, adminsAndModeratorsCount: 0 },
    },
    { why: "an empty name, which is not unknown either", change: { name: "" } },
  ] satisfies { why: string; change: Partial<Space> }[])("gives back a space: $why", ({ change }) => {
    const space: Space = {
      name: undefined,
      website: undefined,
      forum: undefined,
      isProposingGated: undefined,
      hasFixedPeriod: undefined,
      quorum: undefined,
      adminsAndModeratorsCount: undefined,
      isFlagged: undefined,
      isHibernated: undefined,
      isVerified: undefined,
      ...change,
    };
    fetchInto(warehouse, "any.eth", (sink) => sink.put({ kind: "space", space }));
    expect(factsOf(warehouse, "any.eth").space).toEqual(space);
  });

  it("gives back logs of every kind by (block, log index), exact to the last unit", () => {
    const events: readonly DelegationEvent[] = [
      {
        blockNumber: 10,
        logIndex: 2,
        blockTimeMs: 1_650_000_000_000,
        kind: "delegate-changed",
        delegator: address(1),
        from: address(0),
        to: address(3),
      },
      {
        blockNumber: 10,
        logIndex: 10,
        blockTimeMs: undefined,
        kind: "votes-changed",
        delegate: address(3),
        before: 0n,
        after: LARGEST,
      },
      {
        blockNumber: 9_999_999_999,
        logIndex: 0,
        blockTimeMs: undefined,
        kind: "transfer",
        from: address(1),
        to: address(2),
        amount: LARGEST - 1n,
      },
    ];
    fetchInto(warehouse, "logs.eth", (sink) =>
      sink.put({ kind: "delegation-events", token: TOKEN, events: events.toReversed() }),
    );
    expect(factsOf(warehouse, "logs.eth").delegationEvents).toEqual(events);
  });

  it("gives the logs of the registry's token only, and none without a governor", () => {
    const other = { ...dao("logs.eth"), governor: undefined };
    expect(warehouse.daoFacts(other, { daos: [], entities: [] }).delegationEvents).toEqual([]);
  });

  it("names the entities of wallets that ever voted, anywhere, EVM or Starknet", () => {
    const starknet = `0x${"0".repeat(24)}${"ab".repeat(20)}`;
    const evm = `0x${"ab".repeat(20)}`;
    fetchInto(warehouse, "entity.eth", (sink) => {
      sink.put({ kind: "proposal", proposal: proposal("1") });
      sink.put({ kind: "votes", votes: ballot(sink, "1", [evm, starknet]), isFinal: true });
    });
    const sink = warehouse.beginSpaceFetch({ spaceId: "entity.eth", sourceId: "governor", fetchedAtMs: 1 });
    const [evmNumber, starknetNumber] = [sink.internVoter(evm), sink.internVoter(starknet)];
    sink.fail({ code: "INTERRUPTED", message: "only a look" });
    const entity = (entityId: string, wallets: string[]) => ({
      entityId,
      label: entityId,
      wallets,
      isOptedOut: entityId === "ent_two",
    });
    const facts = warehouse.daoFacts(dao("elsewhere.eth"), {
      daos: [],
      entities: [entity("ent_one", [evm, address(404)]), entity("ent_two", [starknet, "not a wallet"])],
    });
    expect(facts.entityIdOfVoter).toEqual(
      new Map([
        [evmNumber, "ent_one"],
        [starknetNumber, "ent_two"],
      ]),
    );
  });
});
