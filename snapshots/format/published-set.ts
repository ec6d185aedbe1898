import type { DaoDetail, DaoHistory, DaoList, Dgi, DgiHistory, RiskAssessment, UnscoredList } from "./dao.ts";
import type { DelegateDay, DelegateItem, DelegateListing, DelegationGraph } from "./delegates.ts";
import type { Entity } from "./entity.ts";
import type { Evidence } from "./evidence.ts";
import type { ProposalLine } from "./proposal-line.ts";

/** The listing of one day, and what it was made from. */
export interface DatedListing extends DelegateDay {
  readonly listing: DelegateListing;
}

/** The delegate documents of one DAO. */
export interface PublishedListing {
  readonly spaceId: string;
  readonly latest: DelegateListing;
  /** One listing per day for which there is a complete list, ascending. */
  readonly dated: readonly DatedListing[];
  /** The whole ranking behind `latest`, for `all.csv`. */
  readonly all: readonly DelegateItem[];
}

/** Why the scores of one DAO are what they are, and the proposals that they rest on. */
export interface PublishedEvidence {
  readonly evidence: Evidence;
  /** By (end, id), unknown ends first. */
  readonly proposals: readonly ProposalLine[];
}

/** What a version says of all its DAOs together, and of when. */
export interface VersionLists {
  readonly asOf: string;
  readonly methodologyVersion: string;
  readonly daos: DaoList;
  readonly unscored: UnscoredList;
  readonly dgi: Dgi | undefined;
  readonly dgiHistory: DgiHistory | undefined;
  readonly entities: readonly Entity[];
}

/** The documents about single DAOs: of one, while a version is made, or of all that it holds. */
export interface DaoDocuments {
  readonly details: readonly DaoDetail[];
  readonly risks: readonly RiskAssessment[];
  readonly listings: readonly PublishedListing[];
  /** Of every DAO whose latest listing comes from logs; a list says how many delegate, but not who. */
  readonly graphs: readonly DelegationGraph[];
  readonly histories: readonly DaoHistory[];
  /** Of every tracked DAO, by space_id. */
  readonly evidence: readonly PublishedEvidence[];
}

/** Every document of one version. */
export interface PublishedSet extends VersionLists, DaoDocuments {}
