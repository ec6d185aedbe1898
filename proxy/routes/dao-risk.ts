import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { SpaceId } from "../../snapshots/format/ids.ts";
import { problem } from "../request/answer.ts";
import { documentAnswer } from "./document-answer.ts";
import { describeEndpoint } from "./endpoint.ts";

/** `GET /v1/daos/{space_id}/risk`: the risk assessment of one DAO. */
export const daoRisk = describeEndpoint(
  {
    operationId: "getDaoRisk",
    tag: "DAOs",
    summary: "The risk assessment of one DAO",
    description: "The governance risk score, its level, its factors, and where it is heading.",
    parameters: {},
    answers: { shape: ENVELOPES.risk, mayBeKept: true },
    refusals: ["risk-unknown"],
  },
  {
    url: "/v1/daos/:space_id/risk",
    lowestTier: "pro",
    parameters: {},
    find: (_values, { pathId, snapshot }) => {
      if (!SpaceId.safeParse(pathId).success) return problem("risk-unknown");
      return documentAnswer(snapshot, "risk", pathId, "risk-unknown");
    },
  },
);
