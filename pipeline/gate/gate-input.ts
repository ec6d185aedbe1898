import type { PartDigest } from "../../snapshots/format/agreement/check-documents.ts";
import type { DaoList } from "../../snapshots/format/dao.ts";
import type { HiddenEntity } from "../../snapshots/format/hidden-entities.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import type { GateFinding, GateOverride } from "./gate-rules.ts";

/** A number, word or null of a version that follows otherwise from its own evidence. */
export interface Underived {
  readonly path: string;
  readonly published: unknown;
  readonly recomputed: unknown;
}

/** What the gates said of the documents of one DAO, and what those of the whole version ask of them: small. */
export interface GatedDao {
  readonly digest: PartDigest;
  readonly findings: readonly GateFinding[];
  readonly differences: readonly Underived[];
  /** `data_completeness` of its detail. */
  readonly completeness: number | undefined;
  /** Of its latest listing. */
  readonly fetchedAt: string | undefined;
}

/** A version that is about to be written, and what gates compare it with. */
export interface GateInput {
  readonly lists: VersionLists;
  readonly daos: readonly GatedDao[];
  readonly previous: PreviousVersion | DamagedVersion | undefined;
  /** Votes that all sources together give to this version. */
  readonly votes: number;
  /** Votes this version holds of each DAO, by space_id. */
  readonly votesOfSpace: ReadonlyMap<string, number>;
  /** The entities that opted out. */
  readonly optedOut: readonly HiddenEntity[];
  /** How many opted out; a list of live opt-outs may be counted by itself. */
  readonly optOuts: number;
  /** Opt-outs at the last run from this home; `undefined` before the first. Never published, so not part of `previous`. */
  readonly previousOptOuts: number | undefined;
  /** What the last whole fetch of each DAO brought. */
  readonly rows: readonly FetchedRows[];
  /** What the evidence of all DAOs gives otherwise than the lists. */
  readonly differences: readonly Underived[];
  /** Wall time of this run. */
  readonly nowMs: number;
  /** When something was fetched, and by which source. */
  readonly fetchTimes: readonly { readonly what: string; readonly fetchedAt: string }[];
  readonly overrides: readonly GateOverride[];
}

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
