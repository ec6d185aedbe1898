import type { z } from "zod";
import { DaoDetail, DaoList } from "../format/dao.ts";
import { DataPackage } from "../format/data-package.ts";
import { DelegateListing } from "../format/delegates.ts";
import { DelegationGraph } from "../format/delegation-graph.ts";
import { Dgi, DgiHistory } from "../format/dgi.ts";
import { Entity } from "../format/entity.ts";
import { Evidence } from "../format/evidence.ts";
import { DaoHistory } from "../format/history.ts";
import { PATHS } from "../format/paths.ts";
import { RiskAssessment } from "../format/risk.ts";
import { RunReport } from "../format/run-report.ts";
import { UnscoredList } from "../format/unscored.ts";

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
