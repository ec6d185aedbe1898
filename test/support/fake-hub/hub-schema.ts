import { buildSchema } from "graphql";

/**
 * The schema of the fake hub: only the fields and filters that we use or have seen, so that it refuses all other queries.
 * Fields are `Value`, because a test may store anything in a row. The exceptions are fields that are never null: a stored
 * null makes the answer partial.
 */
export const HUB_SCHEMA = buildSchema(`
  scalar Value

  enum OrderDirection { asc desc }

  type Query {
    space(id: String!): Space
    spaces(where: SpaceWhere, first: Int, skip: Int, orderBy: String, orderDirection: OrderDirection): [Space]
    proposals(where: ProposalWhere, first: Int, skip: Int, orderBy: String, orderDirection: OrderDirection): [Proposal]
    votes(where: VoteWhere, first: Int, skip: Int, orderBy: String, orderDirection: OrderDirection): [Vote]
  }

  type Space {
    id: Value!
    name: Value
    about: Value
    admins: Value
    moderators: Value
    members: Value
    filters: Filters
    validation: Validation
    voting: Voting
    strategies: [Strategy]
    website: Value
    discussions: Value
    twitter: Value
    github: Value
    guidelines: Value
    template: Value
    flagged: Value
    hibernated: Value
    verified: Value
    proposalsCount: Value
    votesCount: Value
  }
  input SpaceWhere { id: String id_in: [String] }
  type Filters { onlyMembers: Value minScore: Value }
  type Validation { name: Value params: Value }
  type Voting { delay: Value period: Value quorum: Value quorumType: Value }
  type Strategy { name: Value network: Value params: Value }

  type Proposal {
    id: Value!
    space: Space
    title: Value!
    author: Value
    created: Value
    updated: Value
    start: Value
    end: Value
    type: Value
    choices: Value
    discussion: Value
    link: Value
    quorum: Value
    quorumType: Value
    privacy: Value
    strategies: [Strategy]
    state: Value
    scores: Value
    scores_state: Value
    scores_total: Value
    scores_updated: Value
    votes: Value
    flagged: Value
  }
  input ProposalWhere {
    id: String
    id_in: [String]
    space: String
    space_in: [String]
    state: String
    created_gt: Int created_gte: Int created_lt: Int created_lte: Int
    start_gt: Int start_gte: Int start_lt: Int start_lte: Int
    end_gt: Int end_gte: Int end_lt: Int end_lte: Int
  }

  type Vote {
    id: Value!
    voter: Value!
    space: Space
    proposal: Proposal
    created: Value
    choice: Value!
    vp: Value
    vp_state: Value
    vp_value: Value
    reason: Value
  }
  input VoteWhere {
    id: String
    id_in: [String]
    voter: String
    voter_in: [String]
    proposal: String
    proposal_in: [String]
    space: String
    space_in: [String]
    created_gt: Int created_gte: Int created_lt: Int created_lte: Int
    vp_gt: Float vp_gte: Float vp_lt: Float vp_lte: Float
  }
`);
