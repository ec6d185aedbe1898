import { expect, it } from "vitest";
import { type FetchRecord, failedFetches } from "../../../pipeline/warehouse/fetches.ts";
import { fetchRecord } from "../stages/fake-warehouse.ts";
import { dao } from "./sample-facts.ts";

const GOVERNED = dao("a.eth");
const UNGOVERNED = { ...GOVERNED, governor: undefined };
const of = (sourceId: string, given: Partial<FetchRecord> = {}) =>
  fetchRecord({ spaceId: "a.eth", sourceId, ...given });
const failed = (sourceId: string, code = "SOURCE_FAILED") =>
  of(sourceId, { status: "failed", error: { code, message: "" } });

it.each([
  { why: "a hub that did not answer", daos: [UNGOVERNED], records: [failed("snapshot-hub")], count: 1 },
  { why: "a complete fetch", daos: [UNGOVERNED], records: [of("snapshot-hub")], count: 0 },
  { why: "a DAO that is not tracked any more", daos: [], records: [failed("snapshot-hub")], count: 0 },
  {
    why: "a space that the hub does not have, of a DAO without another source",
    daos: [UNGOVERNED],
    records: [failed("snapshot-hub", "NOT_FOUND")],
    count: 1,
  },
  {
    why: "a space that the hub does not have, of a DAO that votes on a chain",
    daos: [GOVERNED],
    records: [failed("snapshot-hub", "NOT_FOUND"), of("governor")],
    count: 0,
  },
  {
    why: "the same while the chain failed too",
    daos: [GOVERNED],
    records: [failed("snapshot-hub", "NOT_FOUND"), failed("governor")],
    count: 2,
  },
  {
    why: "a hub that did not answer for a DAO that votes on a chain too",
    daos: [GOVERNED],
    records: [failed("snapshot-hub"), of("governor")],
    count: 1,
  },
  {
    why: "a hub that the registry no longer names",
    daos: [{ ...UNGOVERNED, snapshot: "none" as const }],
    records: [failed("snapshot-hub")],
    count: 0,
  },
  {
    why: "a governor that the registry no longer names",
    daos: [UNGOVERNED],
    records: [failed("governor")],
    count: 0,
  },
])("finds the fetches that have to be mended: $why", ({ daos, records, count }) => {
  expect(failedFetches(records, daos)).toHaveLength(count);
});
