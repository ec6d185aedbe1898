import { buildSchema } from "graphql";

/**
 * The hub as it is since March 2026, with only the fields and filters that we use or refrain from using, so that the fake
 * hub refuses all other queries. Columns of the hub's tables are `Value`, because a test may store anything in them;
 * settings of a space have the hub's own types, because the hub stores them as JSON and does not check them.
 */
export const HUB_SCHEMA = buildSchema(`
  scalar Value

  enum OrderDirection { asc desc }

  type Query {
    space(id: String!): Space
    spaces(first: Int! = 20, skip: Int! = 0, where: SpaceWhere, orderBy: String, orderDirection: OrderDirection): [Space!]!
    proposals(first: Int! = 20, skip: Int! = 0, where: ProposalWhere, orderBy: String, orderDirection: OrderDirection): [Proposal!]!
    votes(first: Int! = 20, skip: Int! = 0, where: VoteWhere, orderBy: String, orderDirection: OrderDirection): [Vote!]!
  }

  type Space {
    id: String!
    name: String!
    admins: [String!]!
    moderators: [String!]!
    filters: SpaceFilters!
    validation: Validation!
    voting: SpaceVoting!
    strategies: [Strategy!]!
    website: String
    discussions: String
    flagged: Boolean!
    hibernated: Boolean!
    verified: Boolean!
    proposalsCount: Int!
    votesCount: Int!
    created: Value!
    categories: [String!]!
  }
  input SpaceWhere {
    id: String
    id_in: [String]
    created: Int created_in: [Int] created_gt: Int created_gte: Int created_lt: Int created_lte: Int
    verified: Boolean
  }
  type SpaceFilters { minScore: Float! onlyMembers: Boolean! }
  type Validation { name: String! params: Value! }
  type SpaceVoting { delay: Int period: Int quorum: Float quorumType: String! }
  type Strategy { name: String! network: String! params: Value }

  type Proposal {
    id: Value!
    space: Space!
    title: Value!
    author: Value!
    created: Value!
    updated: Value
    start: Value!
    end: Value!
    type: Value!
    choices: [String!]!
    discussion: Value!
    link: Value!
    quorum: Value!
    quorumType: Value!
    privacy: Value!
    strategies: [Strategy!]!
    state: Value!
    scores: Value!
    scores_state: Value!
    scores_total: Value!
    scores_updated: Value!
    votes: Value!
    flagged: Value!
  }
  input ProposalWhere {
    id: String
    id_in: [String]
    space: String
    space_in: [String]
    created: Int created_in: [Int] created_gt: Int created_gte: Int created_lt: Int created_lte: Int
    updated: Int updated_in: [Int] updated_gt: Int updated_gte: Int updated_lt: Int updated_lte: Int
    start: Int start_in: [Int] start_gt: Int start_gte: Int start_lt: Int start_lte: Int
    end: Int end_in: [Int] end_gt: Int end_gte: Int end_lt: Int end_lte: Int
  }

  type Vote {
    id: Value!
    voter: Value!
    space: Space!
    proposal: Proposal!
    created: Value!
    choice: Value!
    vp: Value!
    vp_state: Value!
    vp_value: Value!
    reason: Value!
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
    created: Int created_in: [Int] created_gt: Int created_gte: Int created_lt: Int created_lte: Int
    vp: Float vp_in: [Float] vp_gt: Float vp_gte: Float vp_lt: Float vp_lte: Float
  }
`);
