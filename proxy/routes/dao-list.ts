import { z } from "zod";
import { CATEGORIES } from "../../snapshots/format/value-sets.ts";
import { documentAnswer } from "./document-answer.ts";
import { defineEndpoint } from "./endpoint.ts";

/** `GET /v1/daos`: every scored DAO by rank, or those of one category. */
export const daoList = defineEndpoint({
  url: "/v1/daos",
  lowestTier: "free",
  parameters: { category: { shape: z.enum(CATEGORIES), invalid: "category-invalid" } },
  find: ({ category = "all" }, { snapshot }) => {
    const answer = documentAnswer(snapshot, "daos", category, "internal-error");
    // The list always exists, empty or not: a version without it is broken, and that is our failure.
    if (answer.kind === "problem") throw new Error("the snapshot has no list of DAOs");
    return answer;
  },
});
