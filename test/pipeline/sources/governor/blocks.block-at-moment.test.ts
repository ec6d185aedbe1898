import { afterAll, beforeAll, expect, it } from "vitest";
import {
  blockAtMoment,
  readBlock,
  readFinalizedBlock,
} from "../../../../pipeline/sources/governor/blocks.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import { startChain, type TestChain } from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";

describeOnChain("the block of a moment", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startChain();
    await chain.mine(60);
  });
  afterAll(() => chain.close());

  it("finds the last block of any moment, by its time alone", async () => {
    const rpc = createRpc({ http: plainHttpClient(), url: chain.url });
    const head = await readFinalizedBlock(rpc);
    const times: number[] = [];
    for (let number = head.number - 20; number <= head.number; number += 1)
      times.push((await readBlock(rpc, number)).timeMs);
    const range = { firstBlock: head.number - 20, head };
    for (const [index, timeMs] of times.entries()) {
      for (const [atMs, position] of [
        [timeMs, index],
        [timeMs + 1, index],
        [timeMs - 1, index - 1],
      ] as const) {
        const block = await blockAtMoment(rpc, atMs, range);
        expect(block?.number).toBe(position < 0 ? undefined : range.firstBlock + position);
      }
    }
    expect((await blockAtMoment(rpc, Infinity, range))?.number).toBe(head.number);
    expect(await blockAtMoment(rpc, 0, { firstBlock: head.number, head })).toBeUndefined();
  });
});
