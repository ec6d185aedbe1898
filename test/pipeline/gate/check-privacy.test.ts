import { describe, expect, it } from "vitest";
import { checkPrivacy } from "../../../pipeline/gate/check-privacy.ts";
import type { DelegateItem } from "../../../snapshots/format/delegates.ts";
import { documentsOfDaos } from "../../../snapshots/format/documents.ts";
import type { HiddenEntity } from "../../../snapshots/format/hidden-entities.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { withGraph } from "../../support/delegation-graph.ts";
import { FIXTURE_ENTITY_ID, publishedSet } from "../../support/published-set.ts";
import { entityIdOf, walletOf } from "../documents/scored-daos.ts";
import { documentsOf, validSet, withDao, withListing } from "./valid-set.ts";

const LIGHTHOUSE: HiddenEntity = {
  entityId: entityIdOf("lighthouse"),
  label: "Lighthouse",
  wallets: [walletOf(9), walletOf(0xabc)],
};
const LANTERN: HiddenEntity = {
  entityId: entityIdOf("lantern"),
  label: "Lantern Labs",
  wallets: [walletOf(2), walletOf(5)],
};

const set = validSet();

const withFirstRow = (change: Partial<DelegateItem>): PublishedSet =>
  withListing((listing) => ({
    ...listing,
    latest: {
      ...listing.latest,
      delegates: listing.latest.delegates.map((row) => (row.rank === 1 ? { ...row, ...change } : row)),
    },
  }));

const withTopEntity = (change: object): PublishedSet => ({
  ...set,
  details: set.details.map((detail) => ({
    ...detail,
    top_entities: detail.top_entities.map((entity) => ({ ...entity, ...change })),
  })),
});

const withMessage = (message: string): PublishedSet => ({
  ...set,
  unscored: set.unscored.map((dao) => ({
    ...dao,
    reason: { ...dao.reason, message },
  })),
});

describe("checkPrivacy", () => {
  it.each<{ why: string; set: PublishedSet; hidden: HiddenEntity[] }>([
    { why: "nobody opted out", set, hidden: [] },
    { why: "the bare row of an opted-out wallet", set, hidden: [LIGHTHOUSE] },
    {
      why: "a DAO that is called like an opted-out organisation",
      set: withDao({ name: "Lighthouse" }),
      hidden: [LIGHTHOUSE],
    },
    {
      why: "a label that only begins alike",
      set: withTopEntity({ label: "Lighthouse Keepers" }),
      hidden: [LIGHTHOUSE],
    },
    {
      why: "the named row of somebody else",
      set: withFirstRow({ address: walletOf(1), ens: "x.example", display_name: "x.example" }),
      hidden: [LIGHTHOUSE],
    },
  ])("lets pass $why", ({ set: passed, hidden }) => {
    expect(checkPrivacy(documentsOf(passed), hidden)).toEqual([]);
  });

  it.each<{ why: string; set: PublishedSet; place: string }>([
    {
      why: "its id",
      set: withTopEntity({ entity_id: LIGHTHOUSE.entityId }),
      place: "daos/tidewater.json top_entities 0 entity_id",
    },
    {
      why: "its label",
      set: withTopEntity({ label: "Lighthouse" }),
      place: "daos/tidewater.json top_entities 0 label",
    },
    {
      why: "its label in another case",
      set: withTopEntity({ label: "LIGHTHOUSE" }),
      place: "daos/tidewater.json top_entities 0 label",
    },
    {
      why: "its row with a name",
      set: withFirstRow({ ens: "keeper.example", display_name: "keeper.example" }),
      place: "delegates/tidewater/latest.json delegates 0 address",
    },
    {
      why: "its row with a name that only shows",
      set: withFirstRow({ display_name: "Keeper" }),
      place: "delegates/tidewater/latest.json delegates 0 address",
    },
    {
      why: "a row called like it",
      set: withFirstRow({ address: walletOf(1), ens: "lighthouse" }),
      place: "delegates/tidewater/latest.json delegates 0 ens",
    },
    {
      why: "its wallet in another's document",
      set: { ...set, entities: set.entities.map((entity) => ({ ...entity, wallets: [walletOf(9)] })) },
      place: "entities[0] wallets 0",
    },
    {
      why: "its own document",
      set: {
        ...set,
        entities: [
          { entity_id: LIGHTHOUSE.entityId, label: "x", wallets: [walletOf(1)], dao_participations: [] },
        ],
      },
      place: "entities[0] entity_id",
    },
    {
      why: "a wallet in a sentence, in any case",
      set: withMessage(`cast by 0x${walletOf(0xabc).slice(2).toUpperCase()}.`),
      place: "unscored.json 0 reason message",
    },
    {
      why: "its id in a sentence",
      set: withMessage(`see ${LIGHTHOUSE.entityId}`),
      place: "unscored.json 0 reason message",
    },
    {
      why: "the whole list of delegates",
      set: withListing((listing) => ({
        ...listing,
        all: listing.all.map((row) => ({ ...row, ens: "x.example" })),
      })),
      place: "delegates/tidewater/all.csv 0 address",
    },
    {
      why: "a dated listing",
      set: withListing((listing) => ({
        ...listing,
        dated: listing.dated.map(({ listing: dated, ...day }) => ({
          ...day,
          listing: {
            ...dated,
            delegates: dated.delegates.map((row) => ({ ...row, display_name: "Lighthouse" })),
          },
        })),
      })),
      place: "delegates/tidewater/2026-03.ndjson 0 delegates 0 address",
    },
  ])("refuses $why, and says where but not whom", ({ set: broken, place }) => {
    const findings = checkPrivacy(documentsOf(broken), [LIGHTHOUSE]);
    expect(findings[0]).toEqual({
      code: "OPTED_OUT_NAMED",
      severity: "refuse",
      message: `${place}: names an entity that opted out`,
    });
    const text = JSON.stringify(findings).toLowerCase();
    for (const secret of [LIGHTHOUSE.entityId, "lighthouse", ...LIGHTHOUSE.wallets]) {
      expect(text).not.toContain(secret);
    }
  });

  it("answers every place where an entity is still named", () => {
    const places = checkPrivacy(documentsOf(set), [LANTERN]).map(({ message }) => message.split(":")[0]);
    expect(places).toEqual([
      "daos/tidewater.json top_entities 0 entity_id",
      "daos/tidewater.json top_entities 0 label",
      "delegates/tidewater/latest.json delegates 1 address",
      "delegates/tidewater/all.csv 1 address",
      "entities[0] entity_id",
      "entities[0] label",
      "entities[0] wallets 0",
      "entities[0] wallets 1",
    ]);
  });
});

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
