import { describe, expect, it } from "vitest";
import { digestOf } from "../../../../snapshots/format/agreement/check-documents.ts";
import {
  type CheckedDocuments,
  checkDaoDocuments,
  checkVersionLists,
} from "../../../../snapshots/format/agreement/check-shapes.ts";
import type { PublishedSet } from "../../../../snapshots/format/published-set.ts";
import { partsOf } from "../../../support/parts-of.ts";
import { publishedSet } from "../../../support/published-set.ts";
import { type Change, changeAt, changed, inListing } from "../../changed-set.ts";

const inLastHistory =
  (point: object): Change =>
  ({ histories }) => ({
    histories: changeAt(histories, histories.length - 1, (history) => ({
      ...history,
      points: history.points.map((each) => ({ ...each, ...point })),
    })),
  });

/** What is checked of each DAO, and of the lists. */
function checkedOf(set: PublishedSet): readonly (CheckedDocuments | undefined)[] {
  const parts = partsOf(set);
  const lists = checkVersionLists(set, parts.map(digestOf));
  return [...parts.map((part) => checkDaoDocuments(part).checked), lists.checked];
}

describe("checkDaoDocuments and checkVersionLists", () => {
  it("takes the fixture as it is", () => {
    expect(changed(() => ({}))).not.toThrow();
  });

  it.each<{ why: string; change: Change }>([
    { why: "no DGI", change: () => ({ dgi: undefined }) },
    { why: "no risk document at all", change: () => ({ risks: [] }) },
    { why: "no listing", change: () => ({ listings: [] }) },
    { why: "an empty DGI history", change: () => ({ dgiHistory: { period: "365d", values: [] } }) },
    {
      why: "two equal scores",
      change: (set) => ({
        daos: changeAt(set.daos, 1, (dao) => ({ ...dao, gvs: 7.25 })),
        details: changeAt(set.details, 1, (detail) => ({ ...detail, gvs: 7.25 })),
      }),
    },
    {
      why: "a listing of nobody",
      change: inListing(({ latest }) => ({
        all: [],
        dated: [],
        latest: {
          ...latest,
          total_delegates: 0,
          delegates: [],
          summary: {
            t1_voting_power_pct: 0,
            t2_voting_power_pct: 0,
            t3_voting_power_pct: 0,
            t1_avg_delegators: 0,
            t2_avg_delegators: 0,
          },
        },
      })),
    },
  ])("takes $why", ({ change }) => {
    expect(changed(change)).not.toThrow();
  });

  it.each<{ why: string; change: Change; message: RegExp }>([
    {
      why: "its shape",
      change: inLastHistory({ gvs: 11 }),
      message: /^history\/harbor-lights\.json points 0 gvs: /,
    },
    {
      why: "the sense of its days",
      change: inLastHistory({ date: "2027-01-01" }),
      message: /had not ended at as_of/,
    },
    {
      why: "a path of its own",
      change: ({ listings }) => ({ listings: [...listings, ...listings] }),
      message: /documents: two documents have the same path/,
    },
  ])("refuses a document without $why", ({ change, message }) => {
    expect(changed(change)).toThrow(message);
  });

  it("answers documents in the order of their paths, keys in that of their shapes, whatever the order of the set", () => {
    const set = publishedSet();
    const turned = <Value extends object>(value: Value) =>
      Object.fromEntries(Object.entries(value).toReversed()) as Value;
    const documents = checkedOf({
      ...set,
      risks: set.risks.map(turned),
      entities: set.entities.map(turned),
    });
    expect(documents).toEqual(checkedOf(set));
    expect(JSON.stringify(documents)).toBe(JSON.stringify(checkedOf(set)));
    for (const checked of documents) {
      const paths = checked?.map(({ path }) => path);
      expect(paths?.length).toBeGreaterThan(0);
      expect(paths).toEqual(paths?.toSorted());
    }
  });

  it("gives no documents where there is a problem, of one DAO or of the lists alone", () => {
    const set = publishedSet();
    const risks = set.risks.map((risk) =>
      risk.space_id === "orchard" ? { ...risk, risk_score: 101 } : risk,
    );
    const given = (changed: PublishedSet) => checkedOf(changed).map((checked) => checked !== undefined);
    expect(given({ ...set, risks })).toEqual([true, false, true, true]);
    expect(given({ ...set, entities: [...set.entities, ...set.entities] })).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
