import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GovernorToken } from "../../../../pipeline/facts/delegation.ts";
import { pipelineFailure } from "../../../../pipeline/facts/errors.ts";
import { Failure } from "../../../../snapshots/base/failure.ts";
import { faultyNode, type NodeFault } from "../../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import { type Account, startChain, type TestChain } from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { createFetchLedger } from "./fetch-ledger.ts";
import { fetchGoverned, governedToken } from "./governed-stage.ts";

/** Refuses long ranges, so that a short chain is read in many parts. */
const RANGE_MAX = 7;
const refusesRanges: NodeFault = {
  answer({ method, params }) {
    if (method !== "eth_getLogs") return undefined;
    const { fromBlock, toBlock } = params[0] as Record<"fromBlock" | "toBlock", string>;
    if (Number(toBlock) - Number(fromBlock) < RANGE_MAX) return undefined;
    return { error: { code: -32_005, message: "block range too large" } };
  },
};

type Step =
  | { readonly kind: "move"; readonly from: number; readonly to: number; readonly act: number }
  | { readonly kind: "propose"; readonly id: number; readonly lasts: number }
  | { readonly kind: "vote"; readonly from: number; readonly id: number; readonly isFor: boolean }
  | { readonly kind: "end"; readonly id: number; readonly isExecuted: boolean }
  | { readonly kind: "extend"; readonly id: number; readonly by: number }
  | { readonly kind: "mine"; readonly blocks: number }
  | { readonly kind: "reorganise"; readonly depth: number }
  /** `stop`: requests after which it is interrupted, or the chain reorganised. */
  | { readonly kind: "fetch"; readonly stop: number | undefined; readonly depth: number | undefined };

const account = fc.integer({ min: 0, max: 3 });
const id = fc.integer({ min: 1, max: 6 });
const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("move"), from: account, to: account, act: fc.nat(2) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("propose"), id, lasts: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("vote"), from: account, id, isFor: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("end"), id, isExecuted: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("extend"), id, by: fc.nat(10) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("mine"), blocks: fc.integer({ min: 1, max: 15 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("reorganise"), depth: fc.integer({ min: 1, max: 12 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("fetch"),
      stop: fc.option(fc.nat(60), { nil: undefined }),
      depth: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    }),
  },
) as fc.Arbitrary<Step>;

describeOnChain("logs that are read once", () => {
  let chain: TestChain;
  let governor: GovernorToken;
  let token: Account;
  let address: Account;
  beforeAll(async () => {
    chain = await startChain();
    token = await chain.deploy("PriorToken");
    address = await chain.deploy("AlphaEmitter");
    for (const one of chain.accounts.slice(0, 4))
      await chain.send(one, token, "mint(address,uint96)", [one, 1_000n]);
    governor = governedToken(token, 1, { governor: address, decimals: 0 });
  });
  afterAll(() => chain.close());

  /** Blocks that every life begins with: the contracts and their first holders. */
  const BLOCKS_KEPT = 6;
  const reorganise = async (depth: number) => {
    const deepest = Math.min(depth, (await chain.head()) - BLOCKS_KEPT);
    // Of a chain without a block of its own there is nothing to take back, and the node takes 0 for an error.
    if (deepest > 0) await chain.rpc("anvil_reorg", [deepest, []]);
  };
  const act = async (step: Exclude<Step, { kind: "fetch" }>): Promise<void> => {
    const accountAt = (index: number) => chain.accounts[index] as Account;
    switch (step.kind) {
      case "move":
        if (step.act === 0)
          return chain.send(accountAt(step.from), token, "delegate(address)", [accountAt(step.to)]);
        if (step.act === 1)
          return chain.send(accountAt(step.from), token, "mint(address,uint96)", [accountAt(step.to), 7n]);
        return chain.send(accountAt(step.from), token, "transfer(address,uint96)", [accountAt(step.to), 3n]);
      case "propose": {
        const start = BigInt(await chain.head()) + 1n;
        const args = [BigInt(step.id), start, start + BigInt(step.lasts), `Number ${step.id}`];
        return chain.send(accountAt(0), address, "propose(uint256,uint256,uint256,string)", args);
      }
      case "vote": {
        const args = [BigInt(step.id), step.isFor, BigInt(step.from + 1)];
        return chain.send(accountAt(step.from), address, "vote(uint256,bool,uint256)", args);
      }
      case "end": {
        const call = step.isExecuted ? "execute(uint256)" : "cancel(uint256)";
        return chain.send(accountAt(0), address, call, [BigInt(step.id)]);
      }
      case "extend": {
        const end = BigInt((await chain.head()) + step.by);
        return chain.send(accountAt(0), address, "extend(uint256,uint64)", [BigInt(step.id), end]);
      }
      case "mine":
        return chain.mine(step.blocks);
      case "reorganise":
        return reorganise(step.depth);
    }
  };
  /** A door that is shut, or behind which the chain is another one, after so many requests. */
  const doorUntil = ({ stop, depth }: Extract<Step, { kind: "fetch" }>) => {
    const { http } = faultyNode(plainHttpClient(), refusesRanges);
    let left = stop ?? Infinity;
    return {
      ...http,
      postJson: async (request: Parameters<typeof http.postJson>[0]) => {
        left -= 1;
        if (left === -1 && depth === undefined) throw pipelineFailure("INTERRUPTED", "stopped");
        if (left === -1 && depth !== undefined) await reorganise(depth);
        // An interrupted process asks nothing more.
        if (left < -1 && depth === undefined) throw new Error("asked after the end");
        return http.postJson(request);
      },
    };
  };

  it("any life of a chain, any interruption and reorganisation: the same as read in one go", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 10, maxLength: 40 }), async (steps) => {
        const snapshot = await chain.rpc("evm_snapshot");
        try {
          const voters = new Map<string, number>();
          const ledger = createFetchLedger(voters);
          for (const step of [...steps, { kind: "fetch", stop: undefined, depth: undefined } as const]) {
            if (step.kind !== "fetch") {
              await act(step);
              continue;
            }
            const http = doorUntil(step);
            const failure = await fetchGoverned(chain, governor, { http, ledger, rangesPerStep: 2 }).then(
              () => undefined,
              (error: unknown) => error,
            );
            if (failure !== undefined) {
              expect(failure).toBeInstanceOf(Failure);
              expect(step.stop).toBeDefined();
              continue;
            }
            const whole = createFetchLedger(voters);
            await fetchGoverned(chain, governor, { ledger: whole });
            expect(ledger.proposals()).toEqual(whole.proposals());
            expect(ledger.ballots()).toEqual(whole.ballots());
            expect(ledger.events()).toEqual(whole.events());
            compared += 1;
          }
        } finally {
          await chain.rpc("evm_revert", [snapshot]);
        }
      }),
      { numRuns: 12 },
    );
    expect(compared).toBeGreaterThan(12);
  });
});
