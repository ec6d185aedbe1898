import { checkDao, checkGates } from "../../../pipeline/gate/check-gates.ts";
import type { GateInput, PreviousVersion } from "../../../pipeline/gate/gate-input.ts";
import type { GateCode, GateFinding } from "../../../pipeline/gate/gate-rules.ts";
import type { DaoSummary } from "../../../snapshots/format/dao.ts";
import {
  type BuiltDocument,
  documentsOfDaos,
  documentsOfLists,
} from "../../../snapshots/format/documents.ts";
import type { PublishedListing, PublishedSet } from "../../../snapshots/format/published-set.ts";
import { partsOf } from "../../support/parts-of.ts";
import { buildPublishedSet } from "../documents/published-set.ts";
import { AS_OF_MS, smallWorld } from "../documents/scored-daos.ts";

/** A set that passes every gate: the small, fictional world as it is published. */
export function validSet(): PublishedSet {
  return buildPublishedSet(smallWorld());
}

/** The set with its first listed DAO changed. */
export function withDao(change: Partial<DaoSummary>, position = 0): PublishedSet {
  const set = validSet();
  return { ...set, daos: set.daos.map((dao, index) => (index === position ? { ...dao, ...change } : dao)) };
}

/** The set with the listing of `tidewater` changed. */
export function withListing(change: (listing: PublishedListing) => Partial<PublishedListing>): PublishedSet {
  const set = validSet();
  const listings = set.listings.map((listing) =>
    listing.spaceId === "tidewater" ? { ...listing, ...change(listing) } : listing,
  );
  return { ...set, listings };
}

/** Every document of a set, as the privacy gate looks through them. */
export function documentsOf(set: PublishedSet): readonly BuiltDocument[] {
  return [...documentsOfDaos(set), ...documentsOfLists(set)];
}

/** What changes of a gate's input: a set stands for its lists and for the documents of its DAOs. */
export type GateChange = Partial<GateInput> & { readonly set?: PublishedSet };

/** What gates are given of a first version that nothing is wrong with, but for one change. */
export function gateInput({ set = validSet(), ...change }: GateChange): GateInput {
  const optedOut = change.optedOut ?? [];
  return {
    lists: set,
    daos: partsOf(set).map((part) => checkDao(part, optedOut, []).gated),
    optedOut,
    optOuts: 0,
    previous: undefined,
    votes: 10,
    votesOfSpace: new Map(),
    previousOptOuts: undefined,
    neverFetched: [],
    rows: [],
    differences: [],
    fetchTimes: [],
    nowMs: AS_OF_MS + 3_600_000,
    overrides: [],
    ...change,
  };
}

/** The version before, of the same moment and method, without any DAO, but for some changes. */
export function previousVersion(change: Partial<PreviousVersion> = {}): PreviousVersion {
  const { asOf, methodologyVersion } = validSet();
  return {
    asOf,
    createdAt: asOf,
    methodologyVersion,
    daos: [],
    votes: 0,
    votesOfSpace: new Map(),
    completenessOfSpace: new Map(),
    rows: [],
    ...change,
  };
}

/** What one gate finds. */
export function findingsOf(code: GateCode, change: GateChange): readonly GateFinding[] {
  return checkGates(gateInput(change)).findings.filter((finding) => finding.code === code);
}

/** What findings say, and whether they refuse. */
export function spoken(findings: readonly GateFinding[]): string[] {
  return findings.map(({ code, severity, message }) => `${severity} ${code} ${message}`);
}
