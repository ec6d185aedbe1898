import { expect, it } from "vitest";
import { DelegationGraph } from "../../../../snapshots/format/delegates.ts";
import { hiddenNames } from "../../../../snapshots/format/hidden-entities.ts";
import { PATHS } from "../../../../snapshots/format/paths.ts";
import { redactFile } from "../../../../snapshots/store/maintain/redact-draft.ts";
import { encodeDocument, renderedFile } from "../../../../snapshots/store/write/render-documents.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import { FIXTURE_ENTITY_ID, publishedSet, walletOf } from "../../../support/published-set.ts";

const graph = withGraph(publishedSet()).graphs[0]!;
const path = PATHS.graph(graph.space_id);
const { entry, bytes } = renderedFile(encodeDocument(path, DelegationGraph, graph), {
  path,
  records: 1,
  media_type: "application/json",
});

const redacted = (wallet: string, given = bytes) =>
  redactFile(entry, given, {
    hidden: hiddenNames([{ entityId: FIXTURE_ENTITY_ID, label: "Lantern Labs", wallets: [wallet] }]),
    topEntities: new Map(),
    entitiesCount: 0,
  });

it("keeps a hidden delegate's place and numbers as a bare row, and is canonical again", () => {
  const text = redacted(walletOf(1))?.toString("utf8") ?? "";
  expect(text).not.toContain("delegate-1.example");
  const again = DelegationGraph.parse(JSON.parse(text));
  expect(`${JSON.stringify(again)}\n`).toBe(text);
  expect(again.delegates[0]).toMatchObject({ address: walletOf(1), votes: graph.delegates[0]?.votes });
  expect(again.delegations).toEqual(graph.delegations);
});

it("keeps the very bytes where a hidden wallet is a delegator's: an address without a name", () => {
  expect(redacted(walletOf(10_001))).toBe(bytes);
});

it("lets no version through in which a delegator has a name", () => {
  const delegations = graph.delegations.map((delegation, index) =>
    index === 0 ? { ...delegation, display_name: "Lantern Labs" } : delegation,
  );
  const forged = Buffer.from(`${JSON.stringify({ ...graph, delegations })}\n`);
  expect(() => redacted(walletOf(1), forged)).toThrow("is not the shortened address");
});
