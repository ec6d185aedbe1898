import { describe, expect, it } from "vitest";
import { bareGraph, hiddenNames } from "../../../snapshots/format/hidden-entities.ts";
import { shortAddress } from "../../../snapshots/format/text.ts";
import { withGraph } from "../../support/delegation-graph.ts";
import { FIXTURE_ENTITY_ID, publishedSet, walletOf } from "../../support/published-set.ts";

const graph = withGraph(publishedSet()).graphs[0]!;
const hiding = (wallets: readonly string[], label = "Nobody's Label") =>
  hiddenNames([{ entityId: FIXTURE_ENTITY_ID, label, wallets }]);

describe("bareGraph", () => {
  it.each([
    { why: "its wallet is a delegate's", hidden: hiding([walletOf(1)]) },
    {
      why: "its wallet is a delegate's, in capitals",
      hidden: hiding([walletOf(1).toUpperCase().replace("X", "x")]),
    },
    { why: "a delegate bears its name", hidden: hiding([], "delegate-1.example") },
  ])("takes the name and nothing else where $why", ({ hidden }) => {
    const [first, ...others] = graph.delegates;
    const { ens, ...bare } = first!;
    expect(ens).toBe("delegate-1.example");
    expect(bareGraph(graph, hidden)).toEqual({
      ...graph,
      delegates: [{ ...bare, display_name: shortAddress(walletOf(1)) }, ...others],
    });
  });

  it.each([
    { why: "a delegate without a name", hidden: hiding([walletOf(2)]) },
    { why: "a delegator, who has none", hidden: hiding([walletOf(10_001)]) },
    { why: "nobody", hidden: hiding([]) },
  ])("is the very same where the hidden wallet is that of $why", ({ hidden }) => {
    expect(bareGraph(graph, hidden)).toBe(graph);
  });
});
