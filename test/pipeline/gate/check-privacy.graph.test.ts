import { expect, it } from "vitest";
import { checkPrivacy } from "../../../pipeline/gate/check-privacy.ts";
import { documentsOfDaos } from "../../../snapshots/format/documents.ts";
import { withGraph } from "../../support/delegation-graph.ts";
import { FIXTURE_ENTITY_ID, publishedSet, walletOf } from "../../support/published-set.ts";

const documents = documentsOfDaos({ ...withGraph(publishedSet()), listings: [], details: [] });
const hiding = (wallet: string) => [
  { entityId: FIXTURE_ENTITY_ID, label: "Lantern Labs", wallets: [wallet] },
];

it.each([
  { why: "a delegate of a bare row", wallet: walletOf(2) },
  { why: "a delegator, who has no name", wallet: walletOf(10_001) },
])("lets pass in a graph $why", ({ wallet }) => {
  expect(checkPrivacy(documents, hiding(wallet))).toEqual([]);
});

it("refuses a graph in which an opted-out delegate has its name", () => {
  const messages = checkPrivacy(documents, hiding(walletOf(1))).map(({ message }) => message);
  expect(messages).toEqual(["graph/orchard.json delegates 0 address: names an entity that opted out"]);
});
