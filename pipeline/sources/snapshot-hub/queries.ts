/** A query of ours: `name` is its GraphQL operation, `field` what it answers under `data`. */
export interface HubQuery {
  readonly name: string;
  readonly field: "space" | "proposals" | "votes";
  readonly text: string;
}

/** The configuration of one space. */
export const SPACE_QUERY: HubQuery = {
  name: "Space",
  field: "space",
  text: `query Space($id: String!) {
  space(id: $id) {
    id name admins moderators
    filters { onlyMembers }
    validation { name params }
    voting { period quorum quorumType }
  }
}`,
};

/** Proposals of a space, a page or by id. */
export const PROPOSALS_QUERY: HubQuery = {
  name: "Proposals",
  field: "proposals",
  text: `query Proposals($where: ProposalWhere!, $first: Int!, $skip: Int!, $orderBy: String!, $orderDirection: OrderDirection!) {
  proposals(where: $where, first: $first, skip: $skip, orderBy: $orderBy, orderDirection: $orderDirection) {
    id space { id } title author created start end type choices discussion quorum quorumType privacy
    strategies { name network params }
    state scores_state scores_total votes flagged
  }
}`,
};

/** Votes on a proposal, a page. */
export const VOTES_QUERY: HubQuery = {
  name: "Votes",
  field: "votes",
  text: `query Votes($where: VoteWhere!, $first: Int!, $skip: Int!, $orderBy: String!, $orderDirection: OrderDirection!) {
  votes(where: $where, first: $first, skip: $skip, orderBy: $orderBy, orderDirection: $orderDirection) {
    id voter created choice vp vp_state reason
    proposal { id }
  }
}`,
};
