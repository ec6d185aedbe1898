import { expect, it } from "vitest";
import { neededSources, SOURCE_IDS, SOURCES, sourceOf } from "../../../pipeline/facts/source-table.ts";

it.each(SOURCE_IDS)(
  "%s is fetched and judged fresh for the same DAOs, unless it does not age",
  (sourceId) => {
    const source = SOURCES[sourceId];
    const plain = { spaceId: "a.eth", name: "A", category: "defi", governor: undefined } as const;
    const isLive = source.isLiveFor(plain);
    // A source that nobody fetches for a DAO and that still counts would make the DAO look absent.
    if (isLive) expect(source.isFor(plain)).toBe(true);
    expect(source.from === "folder").toBe(!source.isResumable);
  },
);

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

it.each([
  { why: "a space", daos: [hub], sources: ["snapshot-hub"] },
  {
    why: "a space and a chain with a node",
    daos: [{ ...hub, governor }],
    sources: ["snapshot-hub", "governor"],
  },
  {
    why: "a space and a chain without one",
    daos: [{ ...hub, governor: { ...governor, chainId: 1 } }],
    sources: ["snapshot-hub"],
  },
  {
    why: "a DAO of the on-chain API alone",
    daos: [{ ...hub, snapshot: "none", onchain } as const],
    sources: ["snapshot-api"],
  },
  {
    why: "a chain without a node, and a delegates service",
    daos: [{ ...hub, governor: { ...governor, chainId: 1 } }],
    delegatesUrl: "http://delegates.example",
    sources: ["snapshot-hub", "delegates-api"],
  },
  { why: "nothing", daos: [], sources: [] },
  { why: "the hub's list", daos: [], spaces: { list: "all" } as const, sources: ["snapshot-hub"] },
])("a registry with $why needs $sources", ({ daos, spaces, delegatesUrl, sources }) => {
  expect(
    neededSources(
      { daos, spaces },
      {
        rpcUrlOf: (chainId) => (chainId === 10 ? "http://node.example" : ""),
        delegatesUrl,
      },
    ),
  ).toEqual(sources);
});

it("refuses data of a source that it does not know, instead of guessing how fresh they are", () => {
  expect(() => sourceOf("tomorrow")).toThrow(expect.objectContaining({ code: "WAREHOUSE_TOO_NEW" }));
});
