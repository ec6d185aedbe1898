import type { z } from "zod";
import type { DocumentShape } from "./canonical-json.ts";
import { DaoDetail, DaoHistory, DaoList, Dgi, DgiHistory, RiskAssessment, UnscoredList } from "./dao.ts";
import { DataPackage } from "./data-package.ts";
import { DelegateItem, DelegateListing, DelegationGraph } from "./delegates.ts";
import { Entity } from "./entity.ts";
import { Evidence } from "./evidence.ts";
import { RunReport } from "./manifest.ts";
import { PATHS } from "./paths.ts";
import { ProposalLine } from "./proposal-line.ts";
import type { PublishedEvidence, PublishedListing, PublishedSet } from "./published-set.ts";

/** One document on its way out: where it will lie, what it must look like, and what it is. */
export interface PublishedDocument {
  readonly path: string;
  readonly shape: DocumentShape;
  readonly value: unknown;
}

const WholeListing = DelegateItem.array();

function listingDocuments({ spaceId, latest, dated, all }: PublishedListing): PublishedDocument[] {
  return [
    { path: PATHS.latestListing(spaceId), shape: DelegateListing, value: latest },
    ...dated.map(({ date, listing }) => ({
      path: PATHS.datedListing(spaceId, date),
      shape: DelegateListing,
      value: listing,
    })),
    { path: PATHS.wholeListing(spaceId), shape: WholeListing, value: all },
  ];
}

const ProposalLines = ProposalLine.array();

function evidenceDocuments({ evidence, proposals }: PublishedEvidence): PublishedDocument[] {
  const { space_id: spaceId } = evidence;
  return [
    { path: PATHS.evidence(spaceId), shape: Evidence, value: evidence },
    { path: PATHS.proposals(spaceId), shape: ProposalLines, value: proposals },
  ];
}

/** Every document of a set. An entity's stands under its place in the set, as its id must not reach a message if it opted out. */
export function publishedDocuments(set: PublishedSet): PublishedDocument[] {
  return [
    { path: PATHS.daos, shape: DaoList, value: set.daos },
    ...set.details.map((value) => ({ path: PATHS.dao(value.space_id), shape: DaoDetail, value })),
    ...set.risks.map((value) => ({ path: PATHS.risk(value.space_id), shape: RiskAssessment, value })),
    ...set.listings.flatMap(listingDocuments),
    ...set.graphs.map((value) => ({ path: PATHS.graph(value.space_id), shape: DelegationGraph, value })),
    ...(set.dgi === undefined ? [] : [{ path: PATHS.dgi, shape: Dgi, value: set.dgi }]),
    ...(set.dgiHistory === undefined
      ? []
      : [{ path: PATHS.dgiHistory, shape: DgiHistory, value: set.dgiHistory }]),
    ...set.entities.map((value, index) => ({ path: `entities[${index}]`, shape: Entity, value })),
    ...set.histories.map((value) => ({ path: PATHS.history(value.space_id), shape: DaoHistory, value })),
    ...set.evidence.flatMap(evidenceDocuments),
    { path: PATHS.unscored, shape: UnscoredList, value: set.unscored },
  ];
}

/** What every kind of JSON file in a version holds. */
export interface FileValues {
  readonly daos: DaoList;
  readonly dao: DaoDetail;
  readonly risk: RiskAssessment;
  readonly "latest-listing": DelegateListing;
  readonly "dated-listing": DelegateListing;
  readonly graph: DelegationGraph;
  readonly dgi: Dgi;
  readonly "dgi-history": DgiHistory;
  readonly entity: Entity;
  readonly history: DaoHistory;
  readonly evidence: Evidence;
  readonly unscored: UnscoredList;
  readonly run: RunReport;
  readonly "data-package": DataPackage;
}
export type FileKind = keyof FileValues;

/** The shape of every kind of JSON file in a version. */
export const FILE_SHAPES: { readonly [Kind in FileKind]: z.ZodType<FileValues[Kind]> } = {
  daos: DaoList,
  dao: DaoDetail,
  risk: RiskAssessment,
  "latest-listing": DelegateListing,
  "dated-listing": DelegateListing,
  graph: DelegationGraph,
  dgi: Dgi,
  "dgi-history": DgiHistory,
  entity: Entity,
  history: DaoHistory,
  evidence: Evidence,
  unscored: UnscoredList,
  run: RunReport,
  "data-package": DataPackage,
};

/** What a path of a version says of its file: its kind, whose it is, and of which day. */
export interface FilePlace {
  readonly kind: FileKind;
  /** Space or entity; empty for a file there is one of. */
  readonly id: string;
  /** Of a dated listing. */
  readonly date: string;
}

/** `kind` and how its path is made again from the parts, so that the two directions cannot drift apart. */
const PLACES: readonly {
  readonly kind: FileKind;
  readonly pattern: RegExp;
  readonly pathOf: (id: string, date: string) => string;
}[] = [
  { kind: "daos", pattern: /^daos\.json$/, pathOf: () => PATHS.daos },
  { kind: "dao", pattern: /^daos\/(?<id>[^/]+)\.json$/, pathOf: PATHS.dao },
  { kind: "risk", pattern: /^risk\/(?<id>[^/]+)\.json$/, pathOf: PATHS.risk },
  {
    kind: "latest-listing",
    pattern: /^delegates\/(?<id>[^/]+)\/latest\.json$/,
    pathOf: PATHS.latestListing,
  },
  {
    kind: "dated-listing",
    pattern: /^delegates\/(?<id>[^/]+)\/(?<date>\d{4}-\d{2}-\d{2})\.json$/,
    pathOf: PATHS.datedListing,
  },
  { kind: "graph", pattern: /^graph\/(?<id>[^/]+)\.json$/, pathOf: PATHS.graph },
  { kind: "dgi", pattern: /^dgi\.json$/, pathOf: () => PATHS.dgi },
  { kind: "dgi-history", pattern: /^dgi-history\.json$/, pathOf: () => PATHS.dgiHistory },
  { kind: "entity", pattern: /^entities\/(?<id>[^/]+)\.json$/, pathOf: PATHS.entity },
  { kind: "history", pattern: /^history\/(?<id>[^/]+)\.json$/, pathOf: PATHS.history },
  { kind: "evidence", pattern: /^evidence\/(?<id>[^/]+)\.json$/, pathOf: PATHS.evidence },
  { kind: "unscored", pattern: /^unscored\.json$/, pathOf: () => PATHS.unscored },
  { kind: "run", pattern: /^run\.json$/, pathOf: () => PATHS.run },
  { kind: "data-package", pattern: /^datapackage\.json$/, pathOf: () => PATHS.dataPackage },
];

/** What lies at a path, or nothing where no JSON document of this format does. */
export function placeOf(path: string): FilePlace | undefined {
  for (const { kind, pattern, pathOf } of PLACES) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const id = match.groups?.["id"] ?? "";
    const date = match.groups?.["date"] ?? "";
    if (pathOf(id, date) === path) return { kind, id, date };
  }
  return undefined;
}
