import { expect, it } from "vitest";
import { neededSources, SOURCE_IDS, SOURCES, sourceOf } from "../../../pipeline/facts/source-table.ts";
import type { TrackedDao } from "../../../pipeline/facts/tracked.ts";

it.each(SOURCE_IDS)("%s is resumable unless it reads a folder", (sourceId) => {
  const source = SOURCES[sourceId];
  expect(source.from === "folder").toBe(!source.isResumable);
});

const hub = { spaceId: "a.eth", name: "A", category: "defi", governor: undefined } as const;
const governor = {
  chainId: 10,
  governor: undefined,
  token: "0x",
  kind: "erc20votes",
  decimals: 18,
  clock: "timestamp",
  firstBlock: 0,
  isSelfByDefault: false,
} as const;
const onchain = { indexer: "eth", space: "0x" };

const ON_CHAIN = { ...hub, governor };
const WITHOUT_NODE = { ...hub, governor: { ...governor, chainId: 1 } };
it.each<readonly [why: string, daos: readonly TrackedDao[], sources: readonly string[], more: object]>([
  ["a space", [hub], ["snapshot-hub"], {}],
  ["a space and a chain with a node", [ON_CHAIN], ["snapshot-hub", "governor"], {}],
  ["a space and a chain without one", [WITHOUT_NODE], ["snapshot-hub"], {}],
  ["a DAO of the on-chain API alone", [{ ...hub, snapshot: "none", onchain }], ["snapshot-api"], {}],
  [
    "a chain without a node, and a delegates service",
    [WITHOUT_NODE],
    ["snapshot-hub", "delegates-api"],
    { delegatesUrl: "http://delegates.example" },
  ],
  ["nothing", [], [], {}],
  ["the hub's list", [], ["snapshot-hub"], { spaces: { list: "all" } }],
])("a registry with %s", (_why, daos, sources, more) => {
  const rpcUrlOf = (chainId: number) => (chainId === 10 ? "http://node.example" : "");
  expect(neededSources({ daos, spaces: undefined, ...more }, { rpcUrlOf, ...more })).toEqual(sources);
});

it("refuses data of a source that it does not know, instead of guessing how fresh they are", () => {
  expect(() => sourceOf("tomorrow")).toThrow(expect.objectContaining({ code: "WAREHOUSE_TOO_NEW" }));
});
