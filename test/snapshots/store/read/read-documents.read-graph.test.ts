import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DelegationGraph } from "../../../../snapshots/format/delegates.ts";
import { locateVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { readGraph } from "../../../../snapshots/store/read/read-documents.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import { publishedSet, publishFixture } from "../../../support/published-set.ts";
import { currentDirectory, replaceFile, sealAgain, sharedRoot } from "../temporary-root.ts";

const set = withGraph(publishedSet());
const graph = set.graphs[0]!;
const PATH = "graph/orchard.json";
const { root, remove } = sharedRoot();

beforeAll(() => publishFixture(root, { set }));
afterAll(remove);

/** What is read of a version that holds this graph, every hash agreeing; the version is put back. */
function readOf(forged: DelegationGraph): DelegationGraph | undefined {
  const file = join(currentDirectory(root), PATH);
  const before = readFileSync(file);
  replaceFile(file, `${JSON.stringify(forged)}\n`);
  const sealed = sealAgain(root, PATH);
  try {
    return readGraph(locateVersion(root), "orchard");
  } finally {
    sealed.undo();
    replaceFile(file, before);
  }
}

describe("readGraph", () => {
  it("reads what was published, and nothing where there is none", () => {
    const located = locateVersion(root);
    expect(readGraph(located, "orchard")).toEqual(graph);
    expect(readGraph(located, "harbor-lights")).toBeUndefined();
    expect(readGraph(located, "../graph/orchard")).toBeUndefined();
  });

  it.each<{ why: string; change: Partial<DelegationGraph>; says: string }>([
    {
      why: "it is that of another DAO",
      change: { space_id: "harbor-lights" },
      says: "is the document of another ID",
    },
    {
      why: "all power is none, and parts of it are not",
      change: { totals: { ...graph.totals, votes: "0" } },
      says: "votes of delegates do not add up to totals.votes",
    },
    {
      why: "two delegates have one rank",
      change: { delegates: graph.delegates.map((each) => ({ ...each, rank: 1 })) },
      says: "delegates are not sorted by rank",
    },
    {
      why: "delegations do not add up",
      change: { delegations: graph.delegations.slice(1) },
      says: "votes of delegators do not add up to traced_votes",
    },
  ])("believes none where $why, though its hash is right", ({ change, says }) => {
    expect(() => readOf({ ...graph, ...change })).toThrow(
      expect.objectContaining({ code: "SNAPSHOT_INVALID", path: PATH, message: `${PATH}: ${says}` }),
    );
    expect(readOf(graph), "the same way, untouched").toEqual(graph);
  });
});
