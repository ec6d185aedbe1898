import type {
  DaoDetail,
  DaoHistory,
  DaoList,
  DgiHistory,
  PublishedDgi,
  RiskAssessment,
  UnscoredList,
} from "./dao.ts";
import type { DelegateDay, DelegateItem, DelegateListing, DelegationGraph } from "./delegates.ts";
import type { Entity } from "./entity.ts";
import type { Evidence } from "./evidence.ts";
import type { Correction } from "./imprint.ts";
import type { ProposalLine } from "./proposal-line.ts";
import type { Rankings } from "./rankings.ts";

export interface DatedListing extends DelegateDay {
  readonly listing: DelegateListing;
}

export interface PublishedListing {
  readonly spaceId: string;
  readonly latest: DelegateListing;
  /** One listing per day with a complete list, ascending. */
  readonly dated: readonly DatedListing[];
  /** The whole ranking behind `latest`, for `all.csv`. */
  readonly all: readonly DelegateItem[];
}

export interface PublishedEvidence {
  readonly evidence: Evidence;
  /** By (end, id), unknown ends first. */
  readonly proposals: readonly ProposalLine[];
}

/** The proposals of a DAO of which none is in the frame, so that it has no evidence. */
export interface EmptyFrame extends Pick<PublishedEvidence, "proposals"> {
  readonly spaceId: string;
}

/** The documents of a version that cover all DAOs, with its moment and method. */
export interface VersionLists {
  readonly asOf: string;
  readonly methodologyVersion: string;
  readonly daos: DaoList;
  readonly rankings: Rankings;
  readonly unscored: UnscoredList;
  readonly dgi: PublishedDgi | undefined;
  readonly dgiHistory: DgiHistory | undefined;
  readonly entities: readonly Entity[];
  /** The oldest first; absent if the publisher has recorded none. */
  readonly corrections?: readonly Correction[] | undefined;
}

/** Documents about single DAOs: of one DAO while a version is built, or of all DAOs of a version. */
export interface DaoDocuments {
  readonly details: readonly DaoDetail[];
  readonly risks: readonly RiskAssessment[];
  readonly listings: readonly PublishedListing[];
  /** Of every DAO whose latest listing comes from logs; a list contains how many delegate, but not who. */
  readonly graphs: readonly DelegationGraph[];
  readonly histories: readonly DaoHistory[];
  /** Of every tracked DAO with a proposal in the frame, by space_id. */
  readonly evidence: readonly PublishedEvidence[];
  /** Of every other tracked DAO. */
  readonly emptyFrames: readonly EmptyFrame[];
}

export interface PublishedSet extends VersionLists, DaoDocuments {}
