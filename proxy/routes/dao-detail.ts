import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { SpaceId } from "../../snapshots/format/ids.ts";
import { problem } from "../request/answer.ts";
import { documentAnswer } from "./document-answer.ts";
import { describeEndpoint } from "./endpoint.ts";

/** `GET /v1/daos/{space_id}`: one DAO in detail. */
export const daoDetail = describeEndpoint(
  {
    operationId: "getDao",
    tag: "DAOs",
    summary: "One DAO in detail",
    description:
      "Scores with their words, ranks, the daily scores of the last 30 days, and the strongest labelled entities.",
    parameters: {},
    answers: { shape: ENVELOPES.dao, mayBeKept: true },
    refusals: ["dao-unknown"],
  },
  {
    url: "/v1/daos/:space_id",
    lowestTier: "pro",
    parameters: {},
    find: (_values, { pathId, snapshot }) => {
      if (!SpaceId.safeParse(pathId).success) return problem("dao-unknown");
      return documentAnswer(snapshot, "dao", pathId, "dao-unknown");
    },
  },
);
