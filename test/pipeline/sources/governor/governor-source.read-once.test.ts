import fc from "fast-check";
import { expect, it } from "vitest";
import { Failure } from "../../../../snapshots/base/failure.ts";
import { faultyNode } from "../../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { createFetchLedger } from "./fetch-ledger.ts";
import { fetchGoverned, governedStage, refusingRanges, stop } from "./governed-stage.ts";

/** Refuses long ranges, so that a short chain is read in many parts. */
const RANGE_MAX = 7;

type Valued<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends fc.Arbitrary<infer Value> ? Value : never;
};
const kind = <Kind extends string, Fields extends Record<string, fc.Arbitrary<unknown>>>(
  weight: number,
  name: Kind,
  fields: Fields,
) => {
  const arbitrary = fc.record({ kind: fc.constant(name), ...fields });
  return { weight, arbitrary: arbitrary as fc.Arbitrary<{ readonly kind: Kind } & Valued<Fields>> };
};

const account = fc.nat(3);
const id = fc.integer({ min: 1, max: 6 });
const STEP = fc.oneof(
  kind(4, "move", { from: account, to: account, act: fc.nat(2) }),
  kind(3, "propose", { id, lasts: fc.integer({ min: 1, max: 12 }) }),
  kind(5, "vote", { from: account, id, isFor: fc.boolean() }),
  kind(2, "end", { id, isExecuted: fc.boolean() }),
  kind(1, "extend", { id, blocks: fc.nat(10) }),
  kind(3, "mine", { blocks: fc.integer({ min: 1, max: 15 }) }),
  kind(1, "reorganise", { depth: fc.integer({ min: 1, max: 12 }) }),
  // `stop`: requests after which it is interrupted, or the chain reorganised.
  kind(4, "fetch", {
    stop: fc.option(fc.nat(60), { nil: undefined }),
    depth: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  }),
);
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;
type FetchStep = Extract<Step, { kind: "fetch" }>;

describeOnChain("logs that are read once", () => {
  const { on, by, proposeOne } = governedStage();

  /** Blocks that every life begins with: the contracts and their first holders. */
  const BLOCKS_KEPT = 6;
  const reorganise = async (depth: number) => {
    const deepest = Math.min(depth, (await on.chain.head()) - BLOCKS_KEPT);
    // Of a chain without a block of its own there is nothing to take back, and the node takes 0 for an error.
    if (deepest > 0) await on.chain.rpc("anvil_reorg", [deepest, []]);
  };
  const act = async (step: Exclude<Step, FetchStep>): Promise<void> => {
    const { chain, token, address } = on;
    const head = await chain.head();
    switch (step.kind) {
      case "move": {
        const to = by(step.to);
        if (step.act === 0) return chain.send(by(step.from), token, "delegate(address)", [to]);
        if (step.act === 1) return chain.send(by(step.from), token, "mint(address,uint96)", [to, 7n]);
        return chain.send(by(step.from), token, "transfer(address,uint96)", [to, 3n]);
      }
      case "propose":
        return proposeOne(BigInt(step.id), BigInt(head + 1), BigInt(head + 1 + step.lasts));
      case "vote": {
        const args = [BigInt(step.id), step.isFor, BigInt(step.from + 1)];
        return chain.send(by(step.from), address, "vote(uint256,bool,uint256)", args);
      }
      case "end": {
        const call = step.isExecuted ? "execute(uint256)" : "cancel(uint256)";
        return chain.send(by(0), address, call, [BigInt(step.id)]);
      }
      case "extend": {
        const args = [BigInt(step.id), BigInt(head + step.blocks)];
        return chain.send(by(0), address, "extend(uint256,uint64)", args);
      }
      case "mine":
        return chain.mine(step.blocks);
      case "reorganise":
        return reorganise(step.depth);
    }
  };
  /** A door that is shut, or behind which the chain is another one, after so many requests. */
  const doorUntil = ({ stop: requests, depth }: FetchStep) => {
    const { http } = faultyNode(plainHttpClient(), refusingRanges(RANGE_MAX));
    let left = requests ?? Infinity;
    return {
      ...http,
      postJson: async (request: Parameters<typeof http.postJson>[0]) => {
        left -= 1;
        if (left === -1 && depth === undefined) stop();
        if (left === -1 && depth !== undefined) await reorganise(depth);
        // An interrupted process asks nothing more.
        if (left < -1 && depth === undefined) throw new Error("asked after the end");
        return http.postJson(request);
      },
    };
  };

  it("any life of a chain, any interruption and reorganisation: the same as read in one go", async () => {
    for (const holder of [0, 1, 2, 3].map(by))
      await on.chain.send(holder, on.token, "mint(address,uint96)", [holder, 1_000n]);
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 10, maxLength: 40 }), async (steps) => {
        const snapshot = await on.chain.rpc("evm_snapshot");
        try {
          const ledger = createFetchLedger(on.home);
          for (const step of [...steps, { kind: "fetch", stop: undefined, depth: undefined } as const]) {
            if (step.kind !== "fetch") {
              await act(step);
              continue;
            }
            const given = { http: doorUntil(step), ledger, rangesPerStep: 2 };
            const failure = await fetchGoverned(on.chain, on.governor, given).then(
              () => undefined,
              (error: unknown) => error,
            );
            if (failure !== undefined) {
              expect(failure).toBeInstanceOf(Failure);
              expect(step.stop).toBeDefined();
              continue;
            }
            const whole = createFetchLedger(on.home);
            await fetchGoverned(on.chain, on.governor, { ledger: whole });
            expect(ledger.facts(on.governor)).toEqual(whole.facts(on.governor));
            compared += 1;
          }
        } finally {
          await on.chain.rpc("evm_revert", [snapshot]);
        }
      }),
      { numRuns: 12 },
    );
    expect(compared).toBeGreaterThan(12);
  });
});
