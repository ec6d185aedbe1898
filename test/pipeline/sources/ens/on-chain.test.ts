import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { namehash } from "ox/Ens";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { Hex } from "../../../../pipeline/sources/ens/eth-call.ts";
import { ethCallOfNode } from "../../../../pipeline/sources/ens/eth-call-of-node.ts";
import { createEnsResolver } from "../../../../pipeline/sources/ens/index.ts";
import { createMemoryNameCache } from "../../../../pipeline/sources/ens/name-cache.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import { startChain, type TestChain } from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";

const REGISTRY: Hex = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e";
const RESOLVER: Hex = "0x0000000000000000000000000000000000002000";

const Output = z.object({
  contracts: z.object({
    "Names.sol": z.object({
      Names: z.object({ evm: z.object({ deployedBytecode: z.object({ object: z.string() }) }) }),
    }),
  }),
});

/** `Names.sol` as it stands on a chain. */
function compiledNames(): string {
  const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string };
  const content = readFileSync(new URL("Names.sol", import.meta.url), "utf8");
  const settings = {
    evmVersion: "cancun",
    outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } },
  };
  const input = { language: "Solidity", sources: { "Names.sol": { content } }, settings };
  const output = Output.parse(JSON.parse(solc.compile(JSON.stringify(input))));
  return `0x${output.contracts["Names.sol"].Names.evm.deployedBytecode.object}`;
}

describeOnChain("ENS on a real chain", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startChain();
    const code = compiledNames();
    for (const address of [REGISTRY, RESOLVER]) await chain.rpc("anvil_setCode", [address, code]);
  });
  afterAll(() => chain.close());

  const sender = (): Hex => chain.accounts[0] ?? "0x";
  const resolverAt = (url: string) =>
    createEnsResolver({
      call: ethCallOfNode({ http: plainHttpClient(), url }),
      nowMs: () => 0,
      cache: createMemoryNameCache(),
    });

  /** Account `index` claims `name`; the name leads to `to`. */
  async function claim(index: number, name: string, to: string): Promise<string> {
    const address = chain.accounts[index] ?? "0x";
    const reverse = namehash(`${address.slice(2)}.addr.reverse`);
    for (const node of [reverse, namehash(name)]) {
      await chain.send(sender(), REGISTRY, "setResolver(bytes32,address)", [node, RESOLVER]);
    }
    await chain.send(sender(), RESOLVER, "setName(bytes32,string)", [reverse, name]);
    await chain.send(sender(), RESOLVER, "setAddr(bytes32,address)", [namehash(name), to]);
    return address;
  }

  it("names whom a name leads back to, and nobody else", async () => {
    const [alice = "", bob = "", carol = "", nobody = ""] = chain.accounts.slice(1);
    await claim(1, "alice.eth", alice);
    await claim(2, "alice2.eth", alice);
    await claim(3, "Carol.eth", carol);
    const ens = resolverAt(chain.url);
    expect(await ens.namesOf([alice, bob, carol, nobody])).toEqual(new Map([[alice, "alice.eth"]]));
    expect(ens.counters()).toEqual({ fromCache: 0, found: 1, without: 3, failed: 0, skipped: 0 });
  });

  it("takes CCIP-Read for no name, and goes on", async () => {
    const dave = await claim(5, "dave.eth", chain.accounts[5] ?? "");
    await chain.send(sender(), RESOLVER, "setOffchain(bytes32)", [namehash("dave.eth")]);
    const ens = resolverAt(chain.url);
    expect(await ens.nameOf(dave)).toBeUndefined();
    expect(ens.counters()).toMatchObject({ without: 1, failed: 0 });
  });

  it("counts a node that is away as a failure, and gives no name", async () => {
    const ens = resolverAt("http://127.0.0.1:9");
    expect(await ens.nameOf(chain.accounts[1] ?? "")).toBeUndefined();
    expect(ens.counters()).toMatchObject({ without: 0, failed: 1 });
  });
});
