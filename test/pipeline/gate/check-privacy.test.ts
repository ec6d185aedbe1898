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
  withListing(({ latest }) => ({
    latest: {
      ...latest,
      delegates: latest.delegates.map((row) => (row.rank === 1 ? { ...row, ...change } : row)),
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
  unscored: set.unscored.map((dao) => ({ ...dao, reason: { ...dao.reason, message } })),
});

const withEntity = (change: object): PublishedSet => ({
  ...set,
  entities: set.entities.map((entity) => ({ ...entity, ...change })),
});

const keeper = { ens: "keeper.example", display_name: "keeper.example" };

describe("checkPrivacy", () => {
  it.each<[why: string, set: PublishedSet, hidden: HiddenEntity[]]>([
    ["anything if nobody opted out", set, []],
    ["the bare row of an opted-out wallet", set, [LIGHTHOUSE]],
    ["a DAO with the name of an opted-out organisation", withDao({ name: "Lighthouse" }), [LIGHTHOUSE]],
    ["a label that only begins alike", withTopEntity({ label: "Lighthouse Keepers" }), [LIGHTHOUSE]],
    ["the named row of somebody else", withFirstRow({ address: walletOf(1), ...keeper }), [LIGHTHOUSE]],
  ])("lets pass %s", (_, passed, hidden) => {
    expect(checkPrivacy(documentsOf(passed), hidden)).toEqual([]);
  });

  const top = "daos/tidewater.json top_entities 0";
  const row = "delegates/tidewater/latest.json delegates 0";
  const wallet = walletOf(0xabc).slice(2).toUpperCase();
  it.each<[why: string, set: PublishedSet, place: string]>([
    ["its id", withTopEntity({ entity_id: LIGHTHOUSE.entityId }), `${top} entity_id`],
    ["its label in another case", withTopEntity({ label: "LIGHTHOUSE" }), `${top} label`],
    ["its row with a name", withFirstRow(keeper), `${row} address`],
    [
      "its row with a name that is only displayed",
      withFirstRow({ display_name: "Keeper" }),
      `${row} address`,
    ],
    ["a row with its name", withFirstRow({ address: walletOf(1), ens: "lighthouse" }), `${row} ens`],
    ["its wallet in another's document", withEntity({ wallets: [walletOf(9)] }), "entities[0] wallets 0"],
    ["its own document", withEntity({ entity_id: LIGHTHOUSE.entityId }), "entities[0] entity_id"],
    ["a wallet in a sentence, in any case", withMessage(`by 0x${wallet}.`), "unscored.json 0 reason message"],
    ["its id in a sentence", withMessage(`see ${LIGHTHOUSE.entityId}`), "unscored.json 0 reason message"],
    [
      "its name in the whole list of delegates",
      withListing(({ all }) => ({ all: all.map((each) => ({ ...each, ens: "x.example" })) })),
      "delegates/tidewater/all.csv 0 address",
    ],
    [
      "its name in a dated listing",
      withListing(({ dated }) => ({
        dated: dated.map(({ listing, ...day }) => {
          const delegates = listing.delegates.map((each) => ({ ...each, display_name: "Lighthouse" }));
          return { ...day, listing: { ...listing, delegates } };
        }),
      })),
      "delegates/tidewater/2026-03.ndjson 0 delegates 0 address",
    ],
  ])("refuses %s, with the place but not the name", (_, broken, place) => {
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

  it("reports every place where an entity is still named", () => {
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

it("lets pass in a graph the bare row of a delegate, and a delegator", () => {
  for (const wallet of [walletOf(2), walletOf(10_001)])
    expect(checkPrivacy(documents, hiding(wallet))).toEqual([]);
});

it("refuses a graph in which an opted-out delegate has its name", () => {
  const messages = checkPrivacy(documents, hiding(walletOf(1))).map(({ message }) => message);
  expect(messages).toEqual(["graph/orchard.json delegates 0 address: names an entity that opted out"]);
});
