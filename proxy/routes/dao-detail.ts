import { SpaceId } from "../../snapshots/format/ids.ts";
import { problem } from "../http/answer.ts";
import { documentAnswer } from "./document-answer.ts";
import { defineEndpoint } from "./endpoint.ts";

/** `GET /v1/daos/{space_id}`: one DAO in detail. */
export const daoDetail = defineEndpoint({
  url: "/v1/daos/:space_id",
  lowestTier: "pro",
  parameters: {},
  find: (_values, { pathId, snapshot }) => {
    if (!SpaceId.safeParse(pathId).success) return problem("dao-unknown");
    return documentAnswer(snapshot, "dao", pathId, "dao-unknown");
  },
});
