import type { DocumentShape } from "../../snapshots/format/canonical-value.ts";
import { DaoDetail, DaoList } from "../../snapshots/format/dao.ts";
import { DelegateItem, DelegateListing } from "../../snapshots/format/delegates.ts";
import { DelegationGraph } from "../../snapshots/format/delegation-graph.ts";
import { Dgi, DgiHistory } from "../../snapshots/format/dgi.ts";
import { Entity } from "../../snapshots/format/entity.ts";
import { Evidence } from "../../snapshots/format/evidence.ts";
import { DaoHistory } from "../../snapshots/format/history.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import { ProposalLine } from "../../snapshots/format/proposal-line.ts";
import type {
  PublishedEvidence,
  PublishedListing,
  PublishedSet,
} from "../../snapshots/format/published-set.ts";
import { RiskAssessment } from "../../snapshots/format/risk.ts";
import { UnscoredList } from "../../snapshots/format/unscored.ts";

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
