import { z } from "zod";
import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { CATEGORIES } from "../../snapshots/format/value-sets.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import { documentResponse } from "../request/response.ts";

/** `GET /v1/daos`: every scored DAO by rank, or those of one category. */
export const daoList = defineEndpoint({
  url: "/v1/daos",
  lowestTier: "free",
  operationId: "listDaos",
  tag: "DAOs",
  summary: "All scored DAOs by rank",
  description:
    "Every scored DAO in one answer, ascending by `rank`. With `category`, those of one category; `rank` stays the overall one.",
  parameters: {
    category: {
      shape: z.enum(CATEGORIES),
      invalid: "category-invalid",
      description: "Only the DAOs of this category.",
      example: "defi",
    },
  },
  answers: { shape: ENVELOPES.daos, mayBeKept: true },
  refusals: [],
  find: ({ category = "all" }, { snapshot }) => {
    const answer = documentResponse(snapshot, "daos", category, "internal-error");
    // The list always exists, empty or not: a version without it is broken, and that is our failure.
    if (answer.kind === "problem") throw new Error("the snapshot has no list of DAOs");
    return answer;
  },
});
