import type { PartDigest } from "../../snapshots/format/agreement/check-documents.ts";
import type { DaoList } from "../../snapshots/format/dao.ts";
import type { HiddenEntity } from "../../snapshots/format/hidden-entities.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import type { Difference } from "../recompute/recompute.ts";
import type { GateFinding, GateOverride } from "./gate-rules.ts";

/** The gate findings of one DAO, and what the gates of the whole version need of it; small. */
export interface GatedDao {
  readonly digest: PartDigest;
  readonly findings: readonly GateFinding[];
  readonly differences: readonly Difference[];
  /** `data_completeness` of its detail. */
  readonly completeness: number | undefined;
  /** `fetched_at` of its latest listing. */
  readonly fetchedAt: string | undefined;
}

/** A version that is about to be written, and what the gates compare it with. */
export interface GateInput {
  readonly lists: VersionLists;
  readonly daos: readonly GatedDao[];
  readonly previous: PreviousVersion | DamagedVersion | undefined;
  /** Votes in this version from all sources together. */
  readonly votes: number;
  /** Votes in this version per DAO, by space_id. */
  readonly votesOfSpace: ReadonlyMap<string, number>;
  readonly optedOut: readonly HiddenEntity[];
  /** Number of opt-outs in the registry or on the live list, whichever fell further. */
  readonly optOuts: number;
  /** The same at the last run of this home; `undefined` before the first. Never published, so not in `previous`. */
  readonly previousOptOuts: number | undefined;
  /** Rows of the last complete fetch of each DAO. */
  readonly rows: readonly FetchedRows[];
  /** DAOs that could never be fetched although their source has them. */
  readonly neverFetched: readonly string[];
  /** Values in the lists that differ from the evidence of the DAOs. */
  readonly differences: readonly Difference[];
  readonly nowMs: number;
  readonly fetchTimes: readonly { readonly what: string; readonly fetchedAt: string }[];
  readonly overrides: readonly GateOverride[];
}

/** The current version before this run, as far as gates compare with it. */
export interface PreviousVersion {
  readonly asOf: string;
  readonly createdAt: string;
  readonly methodologyVersion: string;
  readonly daos: DaoList;
  /** Votes in it from all sources together. */
  readonly votes: number;
  /** Votes in it per DAO whose last fetch was complete, by space_id. */
  readonly votesOfSpace: ReadonlyMap<string, number>;
  /** `data_completeness` of each ranked DAO, by space_id. */
  readonly completenessOfSpace: ReadonlyMap<string, number>;
  /** Rows of each DAO's last complete fetch. */
  readonly rows: readonly FetchedRows[];
}

/** A current version that cannot be read, and why; nothing can be compared with it. */
export interface DamagedVersion {
  readonly damage: string;
}

/** Accepted and rejected rows of a complete fetch of one DAO. */
export interface FetchedRows {
  readonly spaceId: string;
  readonly taken: number;
  readonly rejected: number;
}
