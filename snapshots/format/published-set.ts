import type { DaoDetail, DaoHistory, DaoList, Dgi, DgiHistory, RiskAssessment, UnscoredList } from "./dao.ts";
import type { DelegateDay, DelegateItem, DelegateListing, DelegationGraph } from "./delegates.ts";
import type { Entity } from "./entity.ts";
import type { Evidence } from "./evidence.ts";
import type { ProposalLine } from "./proposal-line.ts";

/** The delegate documents of one DAO. */
export interface PublishedListing {
  readonly spaceId: string;
  readonly latest: DelegateListing;
  /** One listing per day for which there is a complete list, ascending. */
  readonly dated: readonly { readonly date: string; readonly listing: DelegateListing }[];
  /** What each dated listing was made from, in the same order, for `days.csv`; absent where it is not told. */
  readonly days?: readonly DelegateDay[];
  /** The whole ranking behind `latest`, for `all.csv`. */
  readonly all: readonly DelegateItem[];
}

/** Why the scores of one DAO are what they are, and the proposals that they rest on. */
export interface PublishedEvidence {
  readonly evidence: Evidence;
  /** By (end, id), unknown ends first. */
  readonly proposals: readonly ProposalLine[];
}

/** Every document of one version, before it becomes bytes: what documents hand to gates and store. */
export interface PublishedSet {
  readonly asOf: string;
  readonly methodologyVersion: string;
  readonly daos: DaoList;
  readonly details: readonly DaoDetail[];
  readonly risks: readonly RiskAssessment[];
  readonly listings: readonly PublishedListing[];
  /** Of every DAO whose latest listing comes from logs; a list says how many delegate, but not who. */
  readonly graphs: readonly DelegationGraph[];
  readonly dgi: Dgi | undefined;
  readonly dgiHistory: DgiHistory | undefined;
  readonly entities: readonly Entity[];
  readonly histories: readonly DaoHistory[];
  readonly unscored: UnscoredList;
  /** Of every tracked DAO, by space_id. */
  readonly evidence: readonly PublishedEvidence[];
}
