import type { DaoList } from "../../snapshots/format/dao.ts";
import { DAY_MS } from "../facts/days.ts";
import { GATE_LIMITS } from "./gate-rules.ts";

/** The version that is current before this run, as far as a gate compares with it. */
export interface PreviousVersion {
  readonly asOf: string;
  readonly createdAt: string;
  readonly methodologyVersion: string;
  readonly daos: DaoList;
  /** Votes that all sources together gave to it. */
  readonly votes: number;
  /** Votes it holds of each DAO whose last fetch was whole, by space_id. */
  readonly votesOfSpace: ReadonlyMap<string, number>;
  /** `data_completeness` of each ranked DAO, by space_id. */
  readonly completenessOfSpace: ReadonlyMap<string, number>;
  /** What was taken and refused of each DAO's last whole fetch. */
  readonly rows: readonly FetchedRows[];
}

/** A current version that cannot be read, and why: nothing can be compared with it. */
export interface DamagedVersion {
  readonly damage: string;
}

/** What a whole fetch of one DAO brought. */
export interface FetchedRows {
  readonly spaceId: string;
  readonly taken: number;
  readonly rejected: number;
}

/** Whether two versions are of nearly the same time, and if not, which of them is the later. */
export function distance(asOf: string, previousAsOf: string): "near" | "far" | "earlier" {
  const days = (Date.parse(asOf) - Date.parse(previousAsOf)) / DAY_MS;
  if (days < 0) return "earlier";
  return days <= GATE_LIMITS.comparableDays ? "near" : "far";
}

/** Whether the scores of two versions can be compared at all. */
export function isComparable(
  set: { readonly asOf: string; readonly methodologyVersion: string },
  previous: Pick<PreviousVersion, "asOf" | "methodologyVersion">,
): boolean {
  return (
    distance(set.asOf, previous.asOf) === "near" && set.methodologyVersion === previous.methodologyVersion
  );
}
